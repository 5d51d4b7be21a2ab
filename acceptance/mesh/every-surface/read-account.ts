import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { CheckRow } from '@probe-mesh/contracts/check/check-row'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { Outage } from '@probe-mesh/contracts/overview/outage-log'
import { allCommands } from '@probe-mesh/cli/commands/all-commands'
import { runCommandLine } from '@probe-mesh/cli/src/command-line/create-program'
import { accountSays, commandContext, type Account, type Read } from './account.ts'
import { readDashboard } from './read-dashboard.ts'
import { readTop } from './read-top.ts'
import type { Statement } from './statement.ts'

type State = Pick<CheckDetail, 'name' | 'type' | 'paused' | 'status' | 'statusSince' | 'statusReason'> & {
  regionStatuses: readonly Pick<CheckDetail['regionStatuses'][number], 'region' | 'status' | 'reason'>[]
  uptime: { day: number | null }
  measuredShare: { day: number | null }
  maintenance?: boolean
}

/** What every JSON form of a check says. A paused check says nothing about now. */
export const statementOf = (surface: string, check: State): Statement => ({
  surface,
  check: check.name,
  status: check.paused ? 'paused' : check.status,
  ...(check.status === 'operational' && downSecondsOf(check)),
  ...(check.maintenance === undefined ? {} : { isCovered: check.maintenance }),
  ...(check.paused
    ? {}
    : {
        ...(check.statusSince === null ? {} : { sinceMs: Date.parse(check.statusSince) }),
        sentences: check.statusReason === null ? [] : [check.statusReason],
        ...(check.type === 'heartbeat'
          ? {}
          : {
              failing: check.regionStatuses
                .filter(({ status }) => status === 'down')
                .map(({ region }) => region),
            }),
      }),
})

const downSecondsOf = ({ uptime, measuredShare }: Pick<State, 'uptime' | 'measuredShare'>) =>
  uptime.day !== null &&
  measuredShare.day !== null && { downSeconds: (1 - uptime.day) * measuredShare.day * 86_400 }

const getJson = async (url: string, key: string): Promise<unknown> => {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return await answer.json()
}

/** The detail of each check, which every other surface is compared with. */
export const readDetails = async (
  { apiUrl, keys }: Account,
  ids: readonly string[],
): Promise<CheckDetail[]> =>
  await Promise.all(
    ids.map(async (id) => (await getJson(`${apiUrl}/checks/${id}`, keys.rest)) as CheckDetail),
  )

/** Reads all of an account's surfaces once. */
export const readAccount = async (account: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const parts = [
    await readRest(account),
    await readOutages(account),
    await readMcp(account, details),
    await readCommandLine(account, details),
    await readTop(account, details),
    await readMetrics(account, details),
    await readDashboard(account, details),
  ]
  return {
    statements: [
      ...details.map((check) => statementOf('REST check', check)),
      ...parts.flatMap(({ statements }) => statements),
    ],
    pages: parts.flatMap(({ pages }) => pages),
  }
}

const readRest = async ({ apiUrl, keys }: Account): Promise<Read> => {
  const { checks } = (await getJson(`${apiUrl}/checks?include=state`, keys.list)) as { checks: CheckRow[] }
  const plain = (await getJson(`${apiUrl}/checks`, keys.list)) as { checks: CheckRow[] }
  const { incidents } = (await getJson(`${apiUrl}/incidents`, keys.list)) as { incidents: Incident[] }
  return {
    statements: [
      ...checks.map((row) => statementOf('REST list', row)),
      ...plain.checks.map(({ name, status, paused }) => ({
        surface: 'REST plain list',
        check: name,
        status: paused ? 'paused' : status,
      })),
      ...incidents.flatMap((incident) => incidentStatements('REST incidents', incident)),
      ...membersOf(incidents, new Map(checks.map(({ id, name }) => [id, name]))),
    ],
    pages: [],
  }
}

/** Begin and end of an incident, which all its surfaces share. */
export const incidentStatements = (
  surface: string,
  { id, startedAt, resolvedAt }: Pick<Incident, 'id' | 'startedAt' | 'resolvedAt'>,
): Statement[] => [
  {
    surface,
    check: `incident ${id}`,
    outage: { beganMs: Date.parse(startedAt), endedMs: resolvedAt === null ? null : Date.parse(resolvedAt) },
  },
]

/** The newest downtime of each check on each page, and the end of an incident by the ends of its members. */
const membersOf = (incidents: readonly Incident[], names: ReadonlyMap<string, string>): Statement[] => {
  const automatic = incidents.filter(({ source }) => source === 'automatic')
  const newest = new Map<string, Statement>()
  for (const { statusPageId, members = [] } of automatic) {
    for (const { checkId, downAt, downUntil } of members) {
      const key = `${statusPageId} ${checkId}`
      const beganMs = Date.parse(downAt)
      if ((newest.get(key)?.outage?.beganMs ?? 0) >= beganMs) continue
      const endedMs = downUntil === null ? null : Date.parse(downUntil)
      const check = names.get(checkId) ?? checkId
      newest.set(key, { surface: `member on ${statusPageId.slice(-4)}`, check, outage: { beganMs, endedMs } })
    }
  }
  const ends = automatic.map(({ id, startedAt, members = [] }): Statement => {
    const open = members.some(({ downUntil }) => downUntil === null)
    const last = Math.max(...members.map(({ downUntil }) => Date.parse(downUntil ?? startedAt)))
    return {
      surface: 'REST members',
      check: `incident ${id}`,
      outage: { beganMs: Date.parse(startedAt), endedMs: open ? null : last },
    }
  })
  return [...newest.values(), ...ends]
}

const outageOf = ({ startedAt, endedAt, regions, reason }: Outage): NonNullable<Statement['outage']> => ({
  beganMs: Date.parse(startedAt),
  endedMs: endedAt === null ? null : Date.parse(endedAt),
  ...(regions.length === 0 ? {} : { regions }),
  sentence: reason,
})

const downSecondsIn = (outages: readonly Outage[], id: string): number =>
  outages
    .filter(({ checkId }) => checkId === id)
    .reduce((sum, { durationSeconds }) => sum + durationSeconds, 0)

const readOutages = async ({ act }: Account): Promise<Read> => {
  const { outages } = await act('listOutages', { query: { limit: '100' } })
  const newest = [...Map.groupBy(outages, ({ checkId }) => checkId).values()].flatMap(
    (own) => own.toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))[0] ?? [],
  )
  const details = await Promise.all(newest.map(({ id }) => act('getOutage', { params: { id } })))
  const overview = await act('getOverview', {})
  const counts = await act('getCounts', {})
  const open = outages.filter(({ endedAt }) => endedAt === null)
  return {
    statements: [
      ...newest.map((outage) => ({
        surface: 'outage log',
        check: outage.checkName,
        outage: outageOf(outage),
        ...(outage.endedAt !== null && { downSeconds: downSecondsIn(outages, outage.checkId) }),
      })),
      ...details.map((outage) => ({
        surface: 'outage',
        check: outage.checkName,
        outage: outageOf(outage),
      })),
      ...overview.openOutages.worst.map((outage) => ({
        surface: 'overview',
        check: outage.checkName,
        outage: outageOf(outage),
      })),
    ],
    pages: [
      accountSays('outage log', `${open.length} open outages`),
      accountSays('overview', `${overview.openOutages.total} open outages`),
      accountSays('counts', `${counts.openOutages} open outages`),
    ],
  }
}

const readMcp = async ({ mcp }: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const call = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const { isError, text, structured } = await mcp.call(name, args)
    if (isError) throw new Error(`${name}: ${text}`)
    return structured ?? JSON.parse(text)
  }
  const statements: Statement[] = []
  for (const { id } of details) {
    statements.push(
      statementOf('MCP check', (await call('get_check_status', { checkId: id })) as CheckDetail),
    )
  }
  const { checks } = (await call('list_checks', {})) as { checks: CheckDetail[] }
  const { incidents } = (await call('list_incidents', { limit: 50 })) as { incidents: Incident[] }
  return {
    statements: [
      ...statements,
      ...checks.map(({ name, status, paused }) => ({
        surface: 'MCP list',
        check: name,
        status: paused ? 'paused' : status,
      })),
      ...incidents.flatMap((incident) => incidentStatements('MCP incidents', incident)),
    ],
    pages: [],
  }
}

/** Runs a command in this process, as in a pipe. */
const run = async (account: Account, ...argv: string[]): Promise<string> => {
  const { context, written } = commandContext(account)
  const code = await runCommandLine(allCommands, context, argv)
  if (code !== 0) throw new Error(`${argv.join(' ')}: ${written.err}`)
  return written.out
}

const statuses = 'operational|degraded|down|stale|unknown|paused'

const readCommandLine = async (account: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const json = JSON.parse(await run(account, 'status', '--json')) as { checks: CheckRow[] }
  const { incidents } = JSON.parse(await run(account, 'incidents', '--json')) as { incidents: Incident[] }
  const table = await run(account, 'status')
  const statements: Statement[] = [
    ...json.checks.map((row) => statementOf('CLI status --json', row)),
    ...incidents.flatMap((incident) => incidentStatements('CLI incidents', incident)),
  ]
  for (const { name, type, paused } of details) {
    const line = table.split('\n').find((one) => one.includes(` ${name} `)) ?? ''
    const [, listed = 'none'] = new RegExp(`(${statuses})\\b`).exec(line) ?? []
    statements.push({ surface: 'CLI status', check: name, status: listed })
    const text = await run(account, 'status', name)
    const [, status = 'none'] = new RegExp(`^\\s*\\S+ (${statuses})\\b`, 'm').exec(text) ?? []
    const [, since] = / since (\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d)/.exec(text) ?? []
    const failing = [...text.matchAll(/^\s*([a-z]{3})\s+\S+ down\b/gm)].map(([, region = '']) => region)
    statements.push({
      surface: 'CLI status NAME',
      check: name,
      status,
      ...(since === undefined ? {} : { sinceMs: Date.parse(`${since.replace(' ', 'T')}Z`) }),
      ...(type === 'heartbeat' || paused ? {} : { failing, sentences: [text.replaceAll(/\s+/g, ' ')] }),
    })
  }
  return { statements, pages: [] }
}

const readMetrics = async ({ apiUrl, keys }: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const answer = await fetch(`${apiUrl}/metrics`, { headers: { authorization: `Bearer ${keys.cli}` } })
  if (!answer.ok) throw new Error(`/metrics answered ${answer.status}`)
  const series = [...(await answer.text()).matchAll(/^(\w+)\{(.*)\} (\S+)$/gm)].map(
    ([, name = '', labels = '', value]) => ({
      name,
      labels: Object.fromEntries(
        [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]),
      ),
      value: Number(value),
    }),
  )
  return {
    statements: details.map(({ id, name, type, paused }) => {
      const own = series.filter(({ labels }) => labels['check_id'] === id)
      const status = own.find((one) => one.name === 'probe_mesh_check_status' && one.value === 1)
      const failing = own.filter((one) => one.name === 'probe_success' && one.value === 0)
      return {
        surface: '/v1/metrics',
        check: name,
        status: status?.labels['status'] ?? 'none',
        ...(type === 'heartbeat' || paused
          ? {}
          : { failing: failing.map(({ labels }) => labels['region'] ?? '') }),
      }
    }),
    pages: [],
  }
}
