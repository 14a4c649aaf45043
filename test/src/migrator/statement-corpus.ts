/** A statement as migrations have it, and what a person who knows PostgreSQL says of it. */
export interface LabelledStatement {
  readonly sql: string
  /** It loses something, stops programs, fails on rows, or keeps others out for as long as the table is long. */
  readonly dangerous: boolean
  readonly destroys?: true
  readonly rewrites?: true
}

/** The tables that the statements are about. */
export const corpusTables = `
create function corpus_note() returns trigger language plpgsql as $$ begin return null; end $$;
create domain "CorpusCents" as integer;
create type "CorpusMood" as enum ('good', 'bad');
create table "Customers" (
  "Id" uuid not null constraint "PK_Customers" primary key,
  "Name" varchar(50) not null,
  "Email" text
);
create table "Orders" (
  "Id" uuid not null constraint "PK_Orders" primary key,
  "CustomerId" uuid not null,
  "Total" numeric(10,2),
  "Note" varchar(50),
  "Code" varchar(20),
  "State" integer,
  "Age" integer,
  "PlacedAt" timestamp without time zone,
  "Mood" "CorpusMood",
  constraint "FK_Orders_Customers_CustomerId" foreign key ("CustomerId") references "Customers" ("Id"),
  constraint "CK_Orders_Code" check ("Code" is not null),
  constraint "CK_Orders_Age" check ("Age" >= 0) not valid
);
create index "IX_Orders_State" on "Orders" ("State");
create unique index "IX_Orders_Code" on "Orders" ("Code");
create trigger "TR_Orders_Note" after insert on "Orders" for each statement execute function corpus_note();
create table "Lines" (
  "Id" uuid not null constraint "PK_Lines" primary key,
  "OrderId" uuid not null,
  constraint "FK_Lines_Orders_OrderId" foreign key ("OrderId") references "Orders" ("Id")
);
create table "Logs" ("Id" bigint not null, "Text" text);
create view "OpenOrders" as select "Id" from "Orders" where "State" = 0;
create materialized view "OrderTotals" as select "CustomerId", count(*) as "Count" from "Orders" group by 1;
create unique index "IX_OrderTotals_CustomerId" on "OrderTotals" ("CustomerId");
`

const dangerous = (sql: string, rest: Partial<LabelledStatement> = {}): LabelledStatement => ({
  sql,
  dangerous: true,
  ...rest,
})
const harmless = (sql: string): LabelledStatement => ({ sql, dangerous: false })
const destroys = { destroys: true } as const
const rewrites = { rewrites: true } as const

export const corpus: readonly LabelledStatement[] = [
  // Columns
  harmless(`alter table "Orders" add column "Weight" numeric(10,3)`),
  harmless(`alter table "Orders" add column "IsPaid" boolean not null default false`),
  harmless(`alter table "Orders" add column "SeenAt" timestamp without time zone not null default now()`),
  dangerous(`alter table "Orders" add column "OtherId" uuid constraint "FK_O" references "Customers" ("Id")`),
  dangerous(`alter table "Orders" add column "Weight" numeric(10,3) not null`),
  dangerous(`alter table "Orders" add column "Ticket" uuid not null default gen_random_uuid()`, rewrites),
  dangerous(`alter table "Orders" add column "Number" bigint generated always as identity`, rewrites),
  dangerous(`alter table "Orders" add column "Number" bigserial`, rewrites),
  dangerous(
    `alter table "Orders" add column "Double" numeric generated always as ("Total" * 2) stored`,
    rewrites,
  ),
  dangerous(`alter table "Orders" add column "Alias" text unique`),
  dangerous(`alter table "Orders" add column "Rank" integer check ("Rank" > 0)`),
  dangerous(`alter table "Orders" drop column "PlacedAt"`, destroys),
  dangerous(`alter table "Orders" drop column if exists "State" cascade`, destroys),
  dangerous(`alter table "Orders" rename column "Note" to "Remark"`),
  // Types
  harmless(`alter table "Orders" alter column "Note" type varchar(100)`),
  harmless(`alter table "Orders" alter column "Note" type text`),
  harmless(`alter table "Orders" alter column "Total" type numeric(12,2)`),
  dangerous(`alter table "Orders" alter column "Note" type varchar(10)`, rewrites),
  dangerous(`alter table "Orders" alter column "Age" type smallint`, { ...rewrites, ...destroys }),
  dangerous(`alter table "Orders" alter column "Age" type bigint`, rewrites),
  dangerous(`alter table "Orders" alter column "Total" type integer`, { ...rewrites, ...destroys }),
  dangerous(`alter table "Orders" alter column "PlacedAt" type date`, { ...rewrites, ...destroys }),
  dangerous(`alter table "Orders" alter column "Note" type varchar(5) using "Note"::varchar(5)`, {
    ...rewrites,
    ...destroys,
  }),
  // Nulls and defaults
  dangerous(`alter table "Orders" alter column "Note" set not null`),
  harmless(`alter table "Orders" alter column "Code" set not null`),
  dangerous(`alter table "Customers" alter column "Name" drop not null`),
  harmless(`alter table "Orders" alter column "State" set default 0`),
  harmless(`alter table "Orders" alter column "State" drop default`),
  harmless(`alter table "Orders" alter column "State" set statistics 500`),
  // Constraints
  dangerous(`alter table "Orders" add constraint "CK_T" check ("Total" >= 0)`),
  harmless(`alter table "Orders" add constraint "CK_T" check ("Total" >= 0) not valid`),
  harmless(`alter table "Orders" validate constraint "CK_Orders_Age"`),
  dangerous(`alter table "Logs" add constraint "FK_L" foreign key ("Id") references "Logs2" ("Id")`),
  dangerous(`alter table "Orders" add constraint "FK_X" foreign key ("Id") references "Customers" ("Id")`),
  harmless(
    `alter table "Orders" add constraint "FK_X" foreign key ("Id") references "Customers" ("Id") not valid`,
  ),
  dangerous(`alter table "Orders" add constraint "UQ_N" unique ("Note")`),
  harmless(`alter table "Orders" add constraint "UQ_Code" unique using index "IX_Orders_Code"`),
  dangerous(`alter table "Logs" add constraint "PK_Logs" primary key ("Id")`),
  harmless(`alter table "Orders" drop constraint "CK_Orders_Code"`),
  harmless(`alter table "Orders" drop constraint "FK_Orders_Customers_CustomerId"`),
  harmless(`alter table "Orders" rename constraint "CK_Orders_Code" to "CK_Orders_Code2"`),
  // Indexes
  dangerous(`create index "IX_New" on "Orders" ("CustomerId")`),
  dangerous(`create unique index "IX_New" on "Orders" (lower("Note")) include ("State") where "State" > 0`),
  dangerous(`create index concurrently "IX_New" on "Orders" ("CustomerId")`),
  dangerous(`drop index "IX_Orders_State"`),
  dangerous(`drop index concurrently "IX_Orders_State"`),
  harmless(`alter index "IX_Orders_State" rename to "IX_Orders_S"`),
  dangerous(`reindex index "IX_Orders_State"`),
  dangerous(`reindex table "Orders"`),
  dangerous(`reindex index concurrently "IX_Orders_State"`),
  // Tables
  harmless(
    `create table "Parcels" ("Id" uuid not null primary key, "OrderId" uuid references "Orders" ("Id"))`,
  ),
  harmless(`create table "Copies" as select * from "Orders" where false`),
  dangerous(`drop table "Lines"`, destroys),
  dangerous(`drop table "Customers" cascade`, destroys),
  dangerous(`alter table "Logs" rename to "Journal"`),
  dangerous(`alter table "Logs" set unlogged`, rewrites),
  dangerous(`truncate "Logs"`, destroys),
  dangerous(`truncate "Customers" cascade`, destroys),
  dangerous(`cluster "Orders" using "IX_Orders_Code"`, rewrites),
  dangerous(`vacuum full "Logs"`, rewrites),
  dangerous(`lock table "Orders" in share mode`),
  harmless(`comment on table "Orders" is 'what was asked for'`),
  harmless(`comment on column "Orders"."Note" is 'by hand'`),
  // Rows
  harmless(`insert into "Logs" ("Id", "Text") values (1, 'hello')`),
  harmless(`update "Orders" set "State" = 1 where "State" is null`),
  dangerous(`update "Orders" set "State" = 1`),
  dangerous(`delete from "Logs" where "Id" < 100`, destroys),
  dangerous(`delete from "Logs"`, destroys),
  harmless(`select count(*) from "Orders"`),
  // Views, triggers, functions, types
  harmless(`create view "LateOrders" as select * from "Orders" where "PlacedAt" < now()`),
  dangerous(`drop view "OpenOrders"`),
  dangerous(`refresh materialized view "OrderTotals"`, rewrites),
  harmless(
    `create trigger "TR_X" after delete on "Orders" for each statement execute function corpus_note()`,
  ),
  harmless(`drop trigger "TR_Orders_Note" on "Orders"`),
  harmless(`alter table "Orders" disable trigger "TR_Orders_Note"`),
  harmless(
    `create or replace function corpus_note() returns trigger language plpgsql as $$ begin return new; end $$`,
  ),
  harmless(`alter type "CorpusMood" add value 'unknown'`),
  dangerous(`alter domain "CorpusCents" add constraint "CK_D" check (value >= 0)`),
  dangerous(`create domain "CorpusRank" as integer check (value > 0)`),
  dangerous(`drop type "CorpusMood" cascade`, destroys),
  // Code
  dangerous(`do $$ begin delete from "Logs"; end $$`, destroys),
  dangerous(
    `do $$ declare wanted int := (select count(*) from "Orders"); begin if wanted = 0 then alter table "Orders" alter column "Age" type bigint; else truncate "Lines"; end if; end $$`,
    { ...destroys, ...rewrites },
  ),
  harmless(`do $$ begin insert into "Logs" ("Id") select 1 where not exists (select from "Logs"); end $$`),
  harmless(
    `do language plpgsql 'declare n bigint; begin select count(*) into n from "Orders"; raise notice ''% orders'', n; end'`,
  ),
  dangerous(`do $$ begin execute 'drop table "Lines"'; end $$`, destroys),
  dangerous(
    `do $$ declare t text; begin for t in select 'Lines' loop execute format('drop table %I', t); end loop; end $$`,
  ),
  dangerous(`do $$ begin perform corpus_clear(); end $$`),
  dangerous(
    `do $$ begin null; exception when others then update "Orders" set "State" = "CorpusMood".clear(1); end $$`,
  ),
  dangerous(`do language plperl 'spi_exec_query("drop table x")'`),
  dangerous(`call corpus_clear()`),
  dangerous(`drop schema public cascade`, destroys),
  dangerous(`drop database keel`, destroys),
]
