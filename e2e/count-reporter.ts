import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestError } from '@playwright/test/reporter';

/** Ends the run with the summary line that every command of the project prints. */
export default class CountReporter implements Reporter {
  private suite: Suite | undefined;
  private errorsOutsideTests = 0;

  onBegin(_config: FullConfig, suite: Suite) {
    this.suite = suite;
  }

  onError(_error: TestError) {
    this.errorsOutsideTests += 1;
  }

  onEnd({ status }: FullResult) {
    const tests = this.suite?.allTests() ?? [];
    const secondTry = tests.filter((test) => test.outcome() === 'flaky');
    for (const test of secondTry) console.log(`needed a second try: ${test.titlePath().filter(Boolean).join(' › ')}`);
    const passed = tests.filter((test) => test.outcome() === 'expected' && !isSkipped(test)).length + secondTry.length;
    const failed = tests.filter((test) => test.outcome() === 'unexpected').length + this.errorsOutsideTests;
    // An interrupted run has failed even if none of its tests has.
    const counted = failed === 0 && status !== 'passed' ? 1 : failed;
    console.log(`${passed} passed, ${counted} failed`);
  }

  printsToStdio() {
    return false;
  }
}

const isSkipped = ({ results }: TestCase) => results.at(-1)?.status === 'skipped';
