import { groupingMs, type Failure, type JoinableIncident } from './incident-groups.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A check as a page publishes it. */
export type PublishedCheck = { checkId: string; statusPageId: string; displayName: string; locale: string }

/**
 * The pages that publish these checks. These pages, and those with open incidents that involve the checks,
 * are locked until the transaction ends, so that one process at a time decides about the incidents of a page.
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
  return await tx<PublishedCheck[]>`
    select check_id as "checkId", status_page_id as "statusPageId", display_name as "displayName", locale
    from components join status_pages on status_pages.id = status_page_id
    where check_id = any(${ids}::uuid[]) order by status_page_id, check_id`
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
  const rows = await tx<(Omit<JoinableIncident, 'members'> & JoinableIncident['members'][number])[]>`
    select incidents.id as "incidentId", incidents.status_page_id as "statusPageId",
      incidents.resolved_at is null as "isOpen", members.check_id as "checkId",
      json_build_object('host', members.host, 'text', members.cause, 'regions', members.regions) as cause,
      ${epochMs(tx, 'members.down_at')} as "downAtMs", ${epochMs(tx, 'members.recovered_at')} as "downUntilMs"
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
  return [...Map.groupBy(rows, ({ incidentId }) => incidentId)].map(([incidentId, members]) => ({
    incidentId,
    statusPageId: members[0]?.statusPageId ?? '',
    isOpen: members[0]?.isOpen ?? false,
    members: members.map(({ checkId, cause, downAtMs, downUntilMs }) => ({
      checkId,
      cause,
      downAtMs,
      downUntilMs,
    })),
  }))
}
