-- Ports and code entities hold own fields. A constant default does not rewrite the table.
alter table "HubPorts" add column "ExtraProperties" jsonb not null default '{}';
alter table "HubCodeEntities" add column "ExtraProperties" jsonb not null default '{}';
