-- Without a user it is the treasury that is adjusted: what the house brings in from outside, or takes out.
alter table adjustment
  alter column user_id drop not null,
  add constraint adjustment_of_treasury check (user_id is not null or asset in ('USD', 'GMP'));
