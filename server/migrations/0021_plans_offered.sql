-- A rate is offered to new stakes on a second person's word.
alter type approval_kind add value 'plan';
alter table stake_plan alter column offered set default false;
