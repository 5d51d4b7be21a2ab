import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { clickhouseMigrations } from '../clickhouse/migrate.ts'
import { laterMigrations } from './migrate.ts'

/**
 * While a migration runs, the previous version serves, and a rollback to it is possible. So a migration only
 * adds. Removals follow in a second step, when no running version uses the removed parts.
 */

test('no migration of Postgres after the baseline breaks the previous version', async () => {
  for (const { name, text } of await laterMigrations()) expect(breakingChanges(text), name).toEqual([])
})

test('no migration of ClickHouse breaks the previous version', async () => {
  for (const name of await clickhouseMigrations()) {
    const text = await readFile(new URL(`../clickhouse/migrations/${name}`, import.meta.url), 'utf8')
    expect(breakingChanges(text), name).toEqual([])
  }
})

test.each<[string, string, number]>([
  ['a new table', 'create table a (b text not null)', 0],
  ['a column that may be null', 'alter table a add column b text', 0],
  ['a column with a default', "alter table a add column b text not null default ''", 0],
  ['a column that must be given', 'alter table a add column b text not null', 1],
  [
    'one of several columns that must be given',
    'alter table a add column b text, add column c text not null',
    1,
  ],
  ['a column that goes', 'alter table a drop column b', 1],
  ['a column that goes, in a comment', '-- alter table a drop column b', 0],
  ['a text that speaks of it', "insert into a values ('drop table b')", 0],
  ['a column that is named anew', 'alter table a rename column b to c', 1],
  ['a table that is named anew', 'alter table a rename to c', 1],
  ['a table that goes', 'drop table if exists a', 1],
  ['a type that is another', 'alter table a alter column b type bigint', 1],
  ['a column that must be set from now on', 'alter table a alter column b set not null', 1],
  ['a column that may be null from now on', 'alter table a alter column b drop not null', 0],
  ['a stricter rule at once', 'alter table a add constraint c check (b > 0)', 1],
  [
    'a rule that gives way to a wider one',
    'alter table a drop constraint c, add constraint c check (b in (1, 2))',
    1,
  ],
  ['a rule for what comes later', 'alter table a add constraint c check (b > 0) not valid', 1],
  ['a new index', 'create index a_b on a (b)', 0],
  ['an index that goes', 'drop index a_b', 0],
  ['a function anew', 'create or replace function f() returns int language sql as $$ select 1 $$', 0],
  [
    'a function whose text drops a temporary table',
    'create function f() returns void language plpgsql as $$ begin drop table t; end $$',
    0,
  ],
  ['rights that go', 'revoke update on a from b', 1],
])('%s', (_, statement, breaking) => {
  expect(breakingChanges(statement)).toHaveLength(breaking)
})

/** Parts that are not judged: comments, texts, bodies of functions. */
const opaque = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$/g

/**
 * The beginnings of statements that would break the previous version. It searches words without a grammar, so
 * it may report too much.
 */
const breakingChanges = (migration: string): string[] =>
  migration
    .replaceAll(opaque, ' ')
    .split(';')
    .map((statement) => statement.trim().replaceAll(/\s+/g, ' ').toLowerCase())
    .filter(isBreaking)
    .map((statement) => statement.split(' ').slice(0, 4).join(' '))

const isBreaking = (statement: string): boolean => {
  if (/^drop (table|view|type|function|procedure|schema|materialized|role)\b/.test(statement)) return true
  if (/^(revoke|truncate|rename)\b/.test(statement)) return true
  if (!/^alter (table|type|view)\b/.test(statement)) return false
  return partsOf(statement).some(
    (part) =>
      /\bdrop (?!not null\b|default\b|expression\b)/.test(part) ||
      /\brename\b/.test(part) ||
      /\balter (column )?\S+ (set data )?type\b/.test(part) ||
      /\bset not null\b/.test(part) ||
      /\badd (constraint|check|unique|primary|foreign|exclude)\b/.test(part) ||
      (/\badd (column )?\S+/.test(part) &&
        /\bnot null\b/.test(part) &&
        !/\bdefault\b|\bgenerated\b/.test(part)),
  )
}

/** The actions of one `alter table`, separated by commas outside of brackets. */
const partsOf = (statement: string): string[] => {
  const parts = ['']
  let depth = 0
  for (const character of statement) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}
