import { changeUser, readUser, setPhoto } from 'contract/users.ts';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '#panel/testing/accessible.ts';
import { adminWith, visitSignedIn } from '#panel/testing/app.ts';
import { takeOverClock } from '#panel/testing/clock.ts';
import { button, expectNone, heading, toast } from '#panel/testing/screen.ts';
import { answer, callsTo, emit, refuse, restore } from '#panel/testing/server.ts';
import { answerUsers, user } from '#panel/testing/user-answers.ts';

const edit = () => button('Edit Profile');
const save = () => button('Save Changes');
const wallet = () => page.getByLabelText('Wallet', { exact: true });
const referralCode = () => page.getByLabelText('Referral code', { exact: true });
const photo = () => page.getByLabelText('Photo', { exact: true });
const alert = (text: string) => page.getByRole('alert').filter({ hasText: text });
const otherWallet = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

/** Opens a profile in edit mode, with a server that stores its changes. */
async function editProfile() {
  const opened = user();
  answerUsers([opened]);
  answer(changeUser, ({ body: { version, ...change } }) => ({
    user: Object.assign(opened, change, { version: version + 1 }),
  }));
  visitSignedIn(`/dashboard/user-profile/${opened.id}`);
  await edit().click();
  return opened;
}

test('an invalid value is reported at its field, and nothing is sent', async () => {
  await editProfile();
  await wallet().fill('0OIl');
  await referralCode().fill('AB');
  await save().click();
  await expect.element(page.getByText('Use 6 to 12 capital letters and digits.')).toBeVisible();
  await expect.element(page.getByText('Enter a wallet address: 32 to 44 letters and digits')).toBeVisible();
  await expect.element(wallet()).toHaveAttribute('aria-invalid', 'true');
  expect(callsTo(changeUser)).toEqual([]);
});

test('an emptied field is reported as missing', async () => {
  await editProfile();
  await wallet().fill('');
  await referralCode().fill('');
  await expect.element(page.getByText('Enter a wallet address.', { exact: true })).toBeVisible();
  await expect.element(page.getByText('Enter a referral code.', { exact: true })).toBeVisible();
});

test.each([
  ['present', 'Active'],
  ['absent', 'none'],
] as const)('a token that is %s is shown only as %s', async (token, text) => {
  const opened = user({ token });
  answerUsers([opened]);
  visitSignedIn(`/dashboard/user-profile/${opened.id}`);
  await expect.element(edit()).toBeVisible();
  const shown = [...document.querySelectorAll('.fact')].find(
    (fact) => fact.querySelector('dt')?.textContent === 'Token',
  );
  expect(shown?.querySelector('dd')?.textContent).toBe(text);
});

test('Cancel discards the changes and sends nothing', async () => {
  const { wallet: before } = await editProfile();
  await wallet().fill(otherWallet);
  await button('Cancel').click();
  await expect.element(edit()).toHaveFocus();
  await expect.element(page.getByTitle(before).first()).toBeVisible();
  expect(callsTo(changeUser)).toEqual([]);
});

test('a conflict with another administrator is reported in place and overwrites nothing', async () => {
  const opened = await editProfile();
  await wallet().fill(otherWallet);
  const clock = takeOverClock();
  clock.stop();
  Object.assign(opened, { referralCode: 'THEIRS99', version: 2 });
  emit('users');
  const text = 'Someone else has just changed this user.';
  await expect.element(alert(text)).toBeVisible();
  // A save before the notice can be read sends the old version, which the server refuses.
  refuse(changeUser, 'UserConflict');
  await save().click();
  await expect.poll(() => callsTo(changeUser)).toHaveLength(1);
  await expect.element(alert(text)).toBeVisible();
  await expect.element(wallet()).toHaveValue(otherWallet);
  restore(changeUser);
  clock.pass(1_000);
  await save().click();
  await expect.element(toast('Profile saved')).toBeVisible();
  expect(callsTo(changeUser).map(({ body }) => body)).toEqual([
    { version: 1, wallet: otherWallet },
    { version: 2, wallet: otherWallet },
  ]);
});

test('a referral code of another user is reported at its field', async () => {
  await editProfile();
  refuse(changeUser, 'ReferralCodeTaken');
  await referralCode().fill('TAKEN123');
  await save().click();
  await expect.element(page.getByText('Another user has that referral code.')).toBeVisible();
  await expect.element(referralCode()).toHaveAttribute('aria-invalid', 'true');
});

for (const id of ['nobody', '00000000-0000-4000-8000-000000000000']) {
  test(`the profile of ${id} shows User not found. and Back returns to the list`, async () => {
    answerUsers([user()]);
    refuse(readUser, 'UserNotFound');
    visitSignedIn(`/dashboard/user-profile/${id}`);
    await expect.element(page.getByText('User not found.', { exact: true })).toBeVisible();
    await page.getByRole('link', { name: 'Back' }).click();
    await expect.element(heading('User Management')).toBeVisible();
    expect(window.location.pathname).toBe('/dashboard/users');
  });
}

test('a photo that is not an image, not supported or too large is refused in place, and nothing is sent', async () => {
  await editProfile();
  for (const [name, type, text] of [
    ['notes.txt', 'text/plain', 'The photo must be an image file.'],
    ['page.html', 'text/html', 'The photo must be an image file.'],
    ['logo.svg', 'image/svg+xml', 'The photo must be a JPEG, PNG, WebP or GIF image of at most 16 megapixels.'],
    ['large.png', 'image/png', 'The photo must be at most 2 MB.'],
  ] as const) {
    const bytes = name === 'large.png' ? 2 * 1024 * 1024 + 1 : 64;
    await photo().upload(new File([new Uint8Array(bytes)], name, { type }));
    await expect.element(alert(text)).toBeVisible();
  }
  expect(callsTo(setPhoto)).toEqual([]);
  await expectAccessible();
});

test('an admin without permission to change users cannot replace a photo', async () => {
  const opened = user();
  answerUsers([opened], adminWith('Auditor'));
  visitSignedIn(`/dashboard/user-profile/${opened.id}`);
  await expect.element(edit()).toHaveAttribute('aria-disabled', 'true');
  await expectNone(button('Replace photo'));
});
