import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import { accountSays, type Account, type Read } from './account.ts'
import { attributeOf, hasClass, select, textOf, treeOf, type Node } from './html-text.ts'
import type { Statement } from './statement.ts'

/** What the pages of the dashboard say: the list, the overview, the outages, and each check. */
export const readDashboard = async (account: Account, details: readonly CheckDetail[]): Promise<Read> => {
  const { origin } = new URL(account.apiUrl)
  const open = async (path: string): Promise<readonly Node[]> => {
    const answer = await fetch(`${origin}${path}`, { headers: { cookie: account.cookie } })
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
    return treeOf(await answer.text())
  }
  const list = await open('/dashboard/checks')
  const overview = await open('/dashboard')
  const log = await open('/dashboard/incidents')
  const statements: Statement[] = [
    ...select(list, (tag) => tag === 'tr').flatMap((row) => listedRow(row, details)),
    ...outageRows('dashboard outages', log),
    ...outageRows('dashboard overview', overview),
  ]
  for (const { id, name, type } of details) {
    const page = await open(`/dashboard/checks/${id}`)
    statements.push(checkPage(page, name, type === 'heartbeat'))
  }
  const [headline] = select(overview, hasClass('section', 'headline'))
  const down = /(\d+) of \d+ checks down/.exec(headline === undefined ? '' : textOf([headline]))
  return {
    statements,
    pages: [
      accountSays('dashboard overview headline', `${down?.[1] ?? 0} down`),
      accountSays(
        'REST',
        `${details.filter(({ status, paused }) => status === 'down' && !paused).length} down`,
      ),
    ].map((page) => ({ ...page, page: 'account, down' })),
  }
}

const listedRow = (row: Node & { childNodes: Node[] }, details: readonly CheckDetail[]): Statement[] => {
  const [link] = select(
    [row],
    (tag, attribute) => tag === 'a' && /\/checks\/[^/]+$/.test(attribute('href') ?? ''),
  )
  const check = details.find(({ name }) => link !== undefined && textOf([link]) === name)
  const [status] = select([row], hasClass('strong', 'tag'))
  if (check === undefined || status === undefined) return []
  const [marks] = select([row], hasClass('span', 'region-marks'))
  const [since] = select([row], (_tag, attribute) => attribute('data-since') !== null)
  const label = marks === undefined ? '' : (attributeOf(marks, 'aria-label') ?? '')
  const sinceAt = since === undefined ? null : attributeOf(since, 'data-since')
  return [
    {
      surface: 'dashboard list',
      check: check.name,
      status: textOf([status]).toLowerCase(),
      ...(sinceAt === null ? {} : { sinceMs: Date.parse(sinceAt) }),
      ...(marks === undefined
        ? {}
        : { failing: [...label.matchAll(/([a-z]{3}) down/g)].map(([, region = '']) => region) }),
      sentences: select([row], hasClass('bdi', 'bad')).map((one) => textOf([one])),
    },
  ]
}

/** The first row of each check: open ones come first, then the newest. */
const outageRows = (surface: string, page: readonly Node[]): Statement[] => {
  const rows = select(page, hasClass('table', 'outage-rows')).flatMap((table) =>
    select([table], (tag) => tag === 'tr').slice(1),
  )
  const statements = rows.flatMap((row): Statement[] => {
    const [name] = select([row], (tag) => tag === 'a')
    const [at] = select([row], (tag) => tag === 'time')
    const [state] = select([row], hasClass('strong', 'tag'))
    const [where] = select([row], hasClass('td', 'where'))
    const [reason] = select([row], hasClass('span', 'target'))
    if (name === undefined || at === undefined || state === undefined) return []
    const regions =
      where === undefined
        ? []
        : textOf([where])
            .split(', ')
            .filter((one) => /^[a-z]{3}$/.test(one))
    return [
      {
        surface,
        check: textOf([name]),
        outage: {
          beganMs: Date.parse(attributeOf(at, 'datetime') ?? ''),
          // the row has no time of the end
          endedMs: textOf([state]) === 'Ended' ? Number.NaN : null,
          ...(regions.length === 0 ? {} : { regions }),
          sentence: reason === undefined ? null : textOf([reason]),
        },
      },
    ]
  })
  return [...Map.groupBy(statements, ({ check }) => check).values()].flatMap(
    (own) => own.toSorted((a, b) => (b.outage?.beganMs ?? 0) - (a.outage?.beganMs ?? 0))[0] ?? [],
  )
}

const checkPage = (page: readonly Node[], check: string, isHeartbeat: boolean): Statement => {
  const part = (name: string) => select(page, (_tag, attribute) => attribute('data-live') === name)
  const [state, about, regions] = [part('state')[0], part('about')[0], part('regions')[0]]
  const status = state === undefined ? 'none' : textOf([state]).toLowerCase()
  const [since] = about === undefined ? [] : select([about], (tag) => tag === 'time')
  const text = about === undefined ? '' : textOf([about])
  const rows =
    regions === undefined ? [] : select([regions], (tag) => tag === 'tr').map((row) => textOf([row]))
  const failing = rows.flatMap((row) => /^([a-z]{3}) Down\b/.exec(row)?.[1] ?? [])
  if (status === 'paused') return { surface: 'dashboard check', check, status }
  return {
    surface: 'dashboard check',
    check,
    status,
    ...(since === undefined ? {} : { sinceMs: Date.parse(attributeOf(since, 'datetime') ?? '') }),
    ...(isHeartbeat ? {} : { failing, sentences: [text] }),
  }
}
