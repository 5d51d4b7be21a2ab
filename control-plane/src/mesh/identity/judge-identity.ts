/** What each part reports about the system that it belongs to. */
export type IdentityFacts = {
  readonly postgres: {
    readonly id: string | null
    readonly isEmpty: boolean
    readonly clickhouseMarked: boolean
    readonly hasMeasured: boolean
  }
  readonly clickhouse: { readonly ids: readonly string[]; readonly isEmpty: boolean }
  /** null: the bus runs in this process. */
  readonly nats: { readonly id: string | null } | null
}

/** The id of the system of all parts, null if it is new; or why the parts do not belong together. */
export type Judged = { ok: true; id: string | null } | { ok: false; problem: string }

const byHand = 'If they do belong together, confirm that once with "npm run -s admin -- identity accept".'

/**
 * Whether the parts belong to one system. A part without an id gets the id of Postgres, unless it had one
 * before, or it has data while Postgres is empty. A NATS server that lost its disk is filled again (S-3212).
 */
export const judgeIdentity = (facts: IdentityFacts): Judged => {
  for (const contradiction of contradictions) {
    const problem = contradiction(facts)
    if (problem !== null) return { ok: false, problem: `${problem} ${byHand}` }
  }
  return { ok: true, id: facts.postgres.id }
}

const severalClickHouses = ({ clickhouse: { ids } }: IdentityFacts): string | null =>
  ids.length > 1
    ? `The ClickHouse servers carry the ids of several systems (${ids.join(', ')}). Set CLICKHOUSE_URL to the servers of one.`
    : null

const emptyPostgres = ({ postgres, ...others }: IdentityFacts): string | null => {
  const full = postgres.isEmpty && postgres.id === null ? fullPart(others) : null
  return full === null
    ? null
    : `Postgres is empty, and ${full}. Set DATABASE_URL to the Postgres of that system (after a failover: take the empty server out of it). For a new system, give it a new ClickHouse database and a NATS of its own.`
}

const fullPart = ({ clickhouse, nats }: Omit<IdentityFacts, 'postgres'>): string | null => {
  if (clickhouse.ids[0] !== undefined) return `ClickHouse is of system ${clickhouse.ids[0]}`
  if (!clickhouse.isEmpty) return 'ClickHouse holds readings'
  return typeof nats?.id === 'string' ? `NATS is of system ${nats.id}` : null
}

const otherClickHouse = ({ postgres, clickhouse: { ids } }: IdentityFacts): string | null =>
  ids[0] !== undefined && ids[0] !== postgres.id
    ? `ClickHouse is of system ${ids[0]}, and Postgres of ${postgres.id ?? withoutId}. Set DATABASE_URL and CLICKHOUSE_URL to servers of one system.`
    : null

const newBesideReadings = ({ postgres, clickhouse }: IdentityFacts): string | null =>
  postgres.isEmpty && !postgres.clickhouseMarked && clickhouse.ids.length === 0 && !clickhouse.isEmpty
    ? 'Postgres is empty, and ClickHouse holds readings. Set DATABASE_URL to the Postgres of that system, or CLICKHOUSE_URL to a new database.'
    : null

const lostMark = ({ postgres, clickhouse }: IdentityFacts): string | null =>
  clickhouse.ids.length === 0 && postgres.clickhouseMarked
    ? `ClickHouse ${clickhouse.isEmpty ? 'is empty' : 'carries no id'}, and Postgres is of system ${postgres.id}, whose ClickHouse carries its id. Set CLICKHOUSE_URL to that one.`
    : null

const emptyClickHouse = ({ postgres, clickhouse }: IdentityFacts): string | null =>
  postgres.id === null && postgres.hasMeasured && clickhouse.isEmpty
    ? 'ClickHouse is empty, and Postgres is of a system that has measured. Set CLICKHOUSE_URL to the ClickHouse of that system.'
    : null

const otherNats = ({ postgres, nats }: IdentityFacts): string | null =>
  typeof nats?.id === 'string' && nats.id !== postgres.id
    ? `NATS is of system ${nats.id}, and Postgres of ${postgres.id ?? withoutId}. Set NATS_URL and DATABASE_URL to servers of one system.`
    : null

const withoutId = 'a system without an id'

/** The first that applies is the problem; each assumes that those above do not apply. */
const contradictions = [
  severalClickHouses,
  emptyPostgres,
  otherClickHouse,
  newBesideReadings,
  lostMark,
  emptyClickHouse,
  otherNats,
]
