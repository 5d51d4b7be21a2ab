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
export const judgeIdentity = ({ postgres, clickhouse, nats }: IdentityFacts): Judged => {
  const problem = (text: string): Judged => ({ ok: false, problem: `${text} ${byHand}` })
  const [marked = null, ...others] = clickhouse.ids
  if (others.length > 0) {
    return problem(
      `The ClickHouse servers carry the ids of several systems (${clickhouse.ids.join(', ')}). Set CLICKHOUSE_URL to the servers of one.`,
    )
  }
  const isNew = postgres.isEmpty && !postgres.clickhouseMarked && marked === null
  if (postgres.isEmpty && postgres.id === null) {
    const full =
      marked !== null
        ? `ClickHouse is of system ${marked}`
        : !clickhouse.isEmpty
          ? 'ClickHouse holds readings'
          : typeof nats?.id === 'string'
            ? `NATS is of system ${nats.id}`
            : null
    if (full !== null) {
      return problem(
        `Postgres is empty, and ${full}. Set DATABASE_URL to the Postgres of that system (after a failover: take the empty server out of it). For a new system, give it a new ClickHouse database and a NATS of its own.`,
      )
    }
  }
  if (marked !== null && marked !== postgres.id) {
    return problem(
      `ClickHouse is of system ${marked}, and Postgres of ${postgres.id ?? 'a system without an id'}. Set DATABASE_URL and CLICKHOUSE_URL to servers of one system.`,
    )
  }
  if (isNew && !clickhouse.isEmpty) {
    return problem(
      'Postgres is empty, and ClickHouse holds readings. Set DATABASE_URL to the Postgres of that system, or CLICKHOUSE_URL to a new database.',
    )
  }
  if (marked === null && postgres.clickhouseMarked) {
    return problem(
      `ClickHouse ${clickhouse.isEmpty ? 'is empty' : 'carries no id'}, and Postgres is of system ${postgres.id}, whose ClickHouse carries its id. Set CLICKHOUSE_URL to that one.`,
    )
  }
  if (postgres.id === null && postgres.hasMeasured && clickhouse.isEmpty) {
    return problem(
      'ClickHouse is empty, and Postgres is of a system that has measured. Set CLICKHOUSE_URL to the ClickHouse of that system.',
    )
  }
  const carried = nats?.id ?? null
  if (carried !== null && carried !== postgres.id) {
    return problem(
      `NATS is of system ${carried}, and Postgres of ${postgres.id ?? 'a system without an id'}. Set NATS_URL and DATABASE_URL to servers of one system.`,
    )
  }
  return { ok: true, id: postgres.id }
}
