-- Members of organizations are changed over HTTP: a stamp tells a change by another user. Rows that SQL adds may leave it out.
alter table "HubOrganizationMembers" add column "ConcurrencyStamp" varchar(40) not null default 'new';
