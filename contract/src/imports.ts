/** What can be wrong with a row of an imported file, in words for the person who prepares the files. */
const problemTexts = {
  ColumnMissing: 'This required column is missing from the file.',
  ColumnUnknown: 'This column is not part of the import format.',
  ColumnTwice: 'Two columns have this name.',
  RowMalformed: 'The row cannot be read: it has too many or too few fields, or its quotes or braces are wrong.',
  ValueMissing: 'This value is required.',
  ValueNotAllowed: 'The value must be empty in a row with this status.',
  NotText: 'The value must be text or a whole number, so that no digit is lost.',
  TooLong: 'The text is too long.',
  NotInList: 'The value is not one of the allowed values.',
  NotATime: 'The value must be a time with its zone, such as 2026-01-31T09:30:00Z.',
  NotADay: 'The value must be a day, such as 2026-01-31.',
  InFuture: 'The time is in the future.',
  TooEarly: 'The time is before this row was created.',
  NotAnAmount: 'The amount cannot be represented: it is not a decimal number, is too large, or has too many decimals.',
  NotPositive: 'The amount must be more than zero.',
  Negative: 'The amount must not be negative.',
  NotDays: 'The value must be a whole number of days from 1 to 3650.',
  NotARate: 'The rate must be a percentage from 0 to 100 with at most four decimals.',
  NotACode: 'A referral code has 6 to 12 capital letters or digits.',
  NotAWallet: 'This is not a valid Solana wallet address.',
  UserTwice: 'Another row has this user ID.',
  UserExists: 'Bursar has a user with this user ID.',
  UsernameTwice: 'Another row has this username, apart from upper and lower case.',
  UsernameTaken: 'A user of Bursar has this username.',
  WalletTwice: 'Another row has this wallet.',
  WalletTaken: 'A user of Bursar has this wallet.',
  CodeTwice: 'Another row has this referral code.',
  CodeTaken: 'A user of Bursar has this referral code.',
  SponsorUnknown: 'No user has the user ID of this sponsor.',
  SponsorCircle: 'The sponsors above this user form a loop.',
  ChainTooLong: 'More than a thousand sponsors are above this user.',
  UserUnknown: 'No row in the users file has this user ID.',
  NoFunds: 'The active stakes and pending withdrawals of this user are more than the USD balance.',
  BalanceTwice: 'Another row has a balance of this user in the same asset.',
  SumTooLarge: 'The sum of all amounts in this asset is too large.',
  PlanUnknown: 'Bursar has no stake plan with these days and this rate.',
  StakeTwice: 'Another row has this stake ID.',
  StakeExists: 'Bursar has a stake with this stake ID.',
  SignatureTwice: 'Another row has this signature.',
  SignatureTaken: 'A withdrawal of Bursar has this signature.',
  WithdrawalTwice: 'Another row has this withdrawal ID.',
  WithdrawalExists: 'Bursar has this withdrawal already.',
  TicketTwice: 'Another row has this ticket ID.',
  TicketExists: 'Bursar has this ticket already.',
} as const;

export type ProblemCode = keyof typeof problemTexts;

export type Problem = {
  file: string;
  /** As a spreadsheet counts: the header of a CSV file is row 1. */
  row: number;
  field: string;
  code: ProblemCode;
  /** Never a secret. */
  value: string | null;
};

export const formatProblem = ({ file, row, field, code, value }: Problem) =>
  `${file} row ${row}, ${field}: ${code}${value === null ? '' : ` ${JSON.stringify(value)}`}. ${problemTexts[code]}`;
