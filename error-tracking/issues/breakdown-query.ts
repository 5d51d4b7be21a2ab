import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'

export type TagCount = { key: string; value: string; events: number; ofKey: number }

type Newest = { projectId: string; issueId: string; limit: number }

const newest = (columns: string): string => `
  select ${columns} from error_occurrences
  where project_id = {project:UUID} and issue_id = {issue:UUID}
  order by at desc, event_id limit {events:UInt32}`

const paramsOf = ({ projectId, issueId, limit }: Newest) => ({
  project: projectId,
  issue: issueId,
  events: limit,
})

/**
 * The most frequent values of each tag of an issue's newest events, the most frequent tags first. An event's
 * level and environment replace tags of these names.
 */
export const countTags = async (
  clickhouse: ClickHouse,
  query: Newest & { tagsMax: number; valuesMax: number },
  signal: AbortSignal,
): Promise<TagCount[]> => {
  const result = await clickhouse.query({
    query: `
      select key, value, events, of_key from (
        select tag.1 as key, tag.2 as value, count() as events, sum(count()) over (partition by key) as of_key
        from (${newest('level, environment, tags')})
        array join arrayConcat(
          [('level', toString(level))],
          if(environment is null, [], [('environment', assumeNotNull(environment))]),
          arrayFilter(pair -> pair.1 not in ('level', 'environment'),
            JSONExtractKeysAndValues(tags, 'String'))) as tag
        group by key, value)
      order by of_key desc, key, events desc, value
      limit {values:UInt32} by key
      limit {rows:UInt32}`,
    query_params: { ...paramsOf(query), values: query.valuesMax, rows: query.tagsMax * query.valuesMax },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const rows = await result.json<{ key: string; value: string; events: number; of_key: number }>()
  return rows.map(({ key, value, events, of_key: ofKey }) => ({
    key,
    value,
    events: Number(events),
    ofKey: Number(ofKey),
  }))
}

/** The first of these that an event has identifies its user. */
const userFields = ['id', 'username', 'email', 'ip_address'] as const

/** Counts an issue's newest events and their users. A removed value identifies no user. */
export const countUsers = async (
  clickhouse: ClickHouse,
  query: Newest,
  signal: AbortSignal,
): Promise<{ events: number; users: number }> => {
  const fields = userFields.map((field) => `JSONExtractRaw(context, 'user', '${field}')`).join(', ')
  const result = await clickhouse.query({
    query: `
      select count() as events, uniqExactIf(user, user != '') as users from (
        select arrayFirst(text -> text not in ('', 'null', '""') and position(text, '[removed: ') = 0,
          [${fields}]) as user
        from (${newest('context')}))`,
    query_params: paramsOf(query),
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  const [row] = await result.json<{ events: number; users: number }>()
  return { events: Number(row?.events ?? 0), users: Number(row?.users ?? 0) }
}

/** The environments of a project's events, most frequent first. */
export const findEnvironments = async (
  clickhouse: ClickHouse,
  projectId: string,
  limit: number,
  signal: AbortSignal,
): Promise<string[]> => {
  const result = await clickhouse.query({
    query: `
      select assumeNotNull(environment) as name from error_occurrences
      where project_id = {project:UUID} and environment is not null and environment != ''
      group by name order by count() desc, name limit {limit:UInt32}`,
    query_params: { project: projectId, limit },
    format: 'JSONEachRow',
    abort_signal: signal,
  })
  return (await result.json<{ name: string }>()).map(({ name }) => name)
}

/** The issues of a project with events of this environment and level; null means any. */
export const findIssuesByOrigin = async (
  clickhouse: ClickHouse,
  projectId: string,
  { environment, level }: { environment: string | null; level: string | null },
  signal: AbortSignal,
): Promise<string[]> => {
  const result = await clickhouse.query({
    query: `
      select distinct issue_id from error_occurrences
      where project_id = {project:UUID}
        ${environment === null ? '' : 'and environment = {environment:String}'}
        ${level === null ? '' : 'and level = {level:String}'}`,
    query_params: {
      project: projectId,
      ...(environment === null ? {} : { environment }),
      ...(level === null ? {} : { level }),
    },
    format: 'JSONCompactEachRow',
    abort_signal: signal,
  })
  return (await result.json<[issueId: string]>()).map(([issueId]) => issueId)
}
