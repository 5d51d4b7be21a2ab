import type { Failure, JoinableIncident } from './incident-groups.ts'
import { groupingMs } from './incident-groups.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** A check as a page publishes it. */
export type PublishedCheck = { checkId: string; statusPageId: string; displayName: string }

/**
 * The pages that publish these checks. These pages, and those with open incidents that involve the checks, are
 * locked until the transaction ends, so that one process at a time decides about the incidents of a page.
 */
export const lockPagesOfChecks = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<PublishedCheck[]> => {
  const ids = [...checkIds]
  await tx`
    select from status_pages
    where id in (
      select status_page_id from components where check_id = any(${ids}::uuid[])
      union
      select incidents.status_page_id
      from incident_members as members join incidents on incidents.id = members.incident_id
      where members.check_id = any(${ids}::uuid[]) and (members.recovered_at is null
        or (members.left_as = 'degraded' and incidents.resolved_at is null)))
    order by id for no key update`
  const rows = await tx<{ check_id: string; status_page_id: string; display_name: string }[]>`
    select check_id, status_page_id, display_name from components
    where check_id = any(${ids}::uuid[]) order by status_page_id, check_id`
  return rows.map((row) => ({
    checkId: row.check_id,
    statusPageId: row.status_page_id,
    displayName: row.display_name,
  }))
}

/**
 * The automatic incidents of these pages that a failure may join, with the relevant members: open ones
 * first, then those of the same checks that were just resolved and have no open successor.
 */
export const findJoinable = async (
  tx: Transaction,
  statusPageIds: readonly string[],
  failures: readonly Failure[],
): Promise<JoinableIncident[]> => {
  const since = new Date(Math.min(...failures.map(({ downAtMs }) => downAtMs)) - groupingMs)
  const checkIds = failures.map(({ checkId }) => checkId)
  const rows = await tx<
    {
      incident_id: string
      status_page_id: string
      resolved_at: Date | null
      check_id: string
      host: string | null
      cause: string
      regions: string[]
      down_at: Date
      recovered_at: Date | null
    }[]
  >`
    select incidents.id as incident_id, incidents.status_page_id, incidents.resolved_at,
      members.check_id, members.host, members.cause, members.regions, members.down_at,
      members.recovered_at
    from incidents join incident_members as members on members.incident_id = incidents.id
    where incidents.status_page_id = any(${[...statusPageIds]}::uuid[])
      and incidents.source = 'automatic'
      and (incidents.resolved_at is null or incidents.resolved_at >= ${since})
      and (members.check_id = any(${checkIds}::uuid[])
        or (incidents.resolved_at is null and members.down_at >= ${since}))
      and (incidents.resolved_at is null
        or not exists (
          select from incidents as other
          where other.status_page_id = incidents.status_page_id
            and other.check_id = incidents.check_id
            and other.source = 'automatic' and other.resolved_at is null))
    order by incidents.resolved_at desc nulls first, incidents.started_at, incidents.id`
  return [...Map.groupBy(rows, (row) => row.incident_id)].map(([incidentId, members]) => ({
    incidentId,
    statusPageId: members[0]?.status_page_id ?? '',
    isOpen: (members[0]?.resolved_at ?? null) === null,
    members: members.map((row) => ({
      checkId: row.check_id,
      cause: { host: row.host, text: row.cause, regions: row.regions },
      downAtMs: row.down_at.getTime(),
      downUntilMs: row.recovered_at?.getTime() ?? null,
    })),
  }))
}
