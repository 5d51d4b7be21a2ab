import { expect, test } from 'vitest'
import { judgeIdentity, type IdentityFacts } from './judge-identity.ts'

const [ours, theirs] = ['0199aaaa-0000-7000-8000-000000000001', '0199aaaa-0000-7000-8000-000000000002']
const emptyPostgres = { id: null, isEmpty: true, clickhouseMarked: false, hasMeasured: false }
const fullPostgres = { id: ours, isEmpty: false, clickhouseMarked: true, hasMeasured: true }
const emptyClickHouse = { ids: [], isEmpty: true }
const fullClickHouse = { ids: [ours], isEmpty: false }

const judge = (facts: Partial<IdentityFacts>) =>
  judgeIdentity({
    postgres: fullPostgres,
    clickhouse: fullClickHouse,
    nats: { id: ours },
    ...facts,
  })

/** Accepted facts, by description. */
const together: Record<string, [Partial<IdentityFacts>, string | null]> = {
  'one system': [{}, ours],
  'one system with its bus in the process': [{ nats: null }, ours],
  'one system whose NATS lost its disk': [{ nats: { id: null } }, ours],
  'a new system': [{ postgres: emptyPostgres, clickhouse: emptyClickHouse, nats: { id: null } }, null],
  'a new system that was killed before ClickHouse had its id': [
    {
      postgres: { ...emptyPostgres, id: ours },
      clickhouse: emptyClickHouse,
      nats: { id: null },
    },
    ours,
  ],
  'a system from before there were ids': [
    {
      postgres: { ...fullPostgres, id: null, clickhouseMarked: false },
      clickhouse: { ids: [], isEmpty: false },
      nats: { id: null },
    },
    null,
  ],
  'a system that was killed before its full ClickHouse had its id': [
    {
      postgres: { ...fullPostgres, clickhouseMarked: false },
      clickhouse: { ids: [], isEmpty: false },
    },
    ours,
  ],
  'a restored system whose backup had no readings': [
    {
      postgres: { ...fullPostgres, clickhouseMarked: false },
      clickhouse: emptyClickHouse,
      nats: { id: null },
    },
    ours,
  ],
  'a system whose rows in ClickHouse have all expired': [
    { clickhouse: { ids: [ours], isEmpty: true } },
    ours,
  ],
}

/** Refused facts, and the parts that the refusal names. */
const apart: Record<string, [Partial<IdentityFacts>, RegExp]> = {
  'an empty Postgres beside a ClickHouse with an id': [
    { postgres: emptyPostgres },
    new RegExp(`Postgres is empty, and ClickHouse is of system ${ours}.*DATABASE_URL`),
  ],
  'an empty Postgres beside a ClickHouse from before there were ids': [
    { postgres: emptyPostgres, clickhouse: { ids: [], isEmpty: false }, nats: { id: null } },
    /Postgres is empty, and ClickHouse holds readings.*DATABASE_URL/,
  ],
  'an empty Postgres with an id beside a full ClickHouse': [
    {
      postgres: { ...emptyPostgres, id: theirs },
      clickhouse: { ids: [], isEmpty: false },
      nats: { id: null },
    },
    /Postgres is empty, and ClickHouse holds readings/,
  ],
  'empty stores beside the NATS of a system': [
    { postgres: emptyPostgres, clickhouse: emptyClickHouse },
    new RegExp(`Postgres is empty, and NATS is of system ${ours}`),
  ],
  'an empty ClickHouse beside a system': [
    { clickhouse: emptyClickHouse },
    /ClickHouse is empty, and Postgres is of system .*CLICKHOUSE_URL/,
  ],
  'an empty ClickHouse beside a system from before there were ids': [
    {
      postgres: { ...fullPostgres, id: null, clickhouseMarked: false },
      clickhouse: emptyClickHouse,
      nats: { id: null },
    },
    /ClickHouse is empty, and Postgres is of a system that has measured/,
  ],
  'a full ClickHouse without the id that it was given': [
    { clickhouse: { ids: [], isEmpty: false } },
    /ClickHouse carries no id/,
  ],
  "another system's ClickHouse": [
    { clickhouse: { ids: [theirs], isEmpty: false } },
    new RegExp(`ClickHouse is of system ${theirs}, and Postgres of ${ours}`),
  ],
  'a ClickHouse of two systems': [{ clickhouse: { ids: [ours, theirs], isEmpty: false } }, /several systems/],
  "another system's NATS": [
    { nats: { id: theirs } },
    new RegExp(`NATS is of system ${theirs}, and Postgres of ${ours}.*NATS_URL`),
  ],
}

test.each(Object.entries(together))('starts on %s', (_, [facts, id]) => {
  expect(judge(facts)).toEqual({ ok: true, id })
})

test.each(Object.entries(apart))('refuses %s, and names the part', (_, [facts, says]) => {
  const judged = judge(facts)
  expect(judged).toMatchObject({ ok: false, problem: expect.stringMatching(says) })
  expect(judged).toMatchObject({ problem: expect.stringContaining('identity accept') })
})
