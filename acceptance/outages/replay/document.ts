import { writeFile } from 'node:fs/promises'
import { markdownTable } from '@probe-mesh/runtime/tables'
import { readRecords, type Judged, type PlayRecord } from './records.ts'
import { truthOf, type World } from '../world.ts'
import { readWorld, worldSlugs } from '../worlds.ts'

/** docs/outages.md: the documented outages with the answers of their replays. */

export type Outage = { slug: string; world: World; records: readonly PlayRecord[] }

export const documentFile = new URL('../../../docs/outages.md', import.meta.url)

export const readOutages = async (): Promise<Outage[]> => {
  const records = await readRecords()
  return Promise.all(
    (await worldSlugs()).map(async (slug) => ({
      slug,
      world: await readWorld(slug),
      records: records
        .filter(({ outage }) => outage === slug)
        .toSorted((a, b) => b.clock.localeCompare(a.clock) || a.turn - b.turn),
    })),
  )
}

export const writeDocument = async (): Promise<void> =>
  writeFile(documentFile, outagesDocument(await readOutages()))

export const outagesDocument = (outages: readonly Outage[]): string => {
  const played = outages.filter(({ records }) => records.length > 0)
  const waiting = outages.filter(({ records }) => records.length === 0)
  return `${[
    ...introduction,
    markdownTable([
      ['outage', 'truth', 'our answers', 'right after', 'majority rule', 'rule right after', 'real path'],
      ...played.flatMap(overviewOf),
    ]),
    '',
    ...(waiting.length === 0
      ? []
      : [
          'These outages are described in `acceptance/outages/worlds` and are not recorded yet:',
          '',
          ...waiting.map(({ slug, world }) => `- ${slug}: ${world.title}`),
          '',
        ]),
    ...limits,
    ...played.flatMap(sectionOf),
  ].join('\n')}`
}

const introduction = [
  '# Documented outages, replayed',
  '',
  'This page compares our answers with public reports of real outages.',
  '',
  'Each outage is a file in `acceptance/outages/worlds`. It contains only statements of its sources, and marks its',
  'assumptions. It is played in two ways:',
  '',
  '- On a virtual clock, at one reading a minute. The decisions are those of production (judging, confirmation,',
  '  quarantine, status, answers); the network is simulated. For comparison, a majority rule judges the same',
  '  scheduled probes: the rule, not the program.',
  '- On the real path: network namespaces, name servers, resolvers and web servers for each of four regions, with the',
  '  agents, control plane and databases of production. For comparison, a real blackbox_exporter in each region probes',
  '  the same hosts as often, with the same timeout. Time is compressed. The table lists the outages recorded this way.',
  '',
  'How to read the tables:',
  '',
  '- Delays are in intervals; at one reading a minute, an interval is a minute. Shares are of all answers, delay',
  '  included.',
  '- Long stretches without a change are shortened: to ten minutes on the virtual clock, to four intervals on the real',
  '  path. Flapping keeps two periods.',
  '- `intermittent`: requests fail and succeed. Only `down_in_some_regions` counts as right.',
  '- `out_of_sight`: users are affected, but four data centers cannot measure it. Only `up` counts as right.',
  '- The majority rule is `down` if fewer than half of the last probes succeed (`avg(probe_success) < 0.5`). It has no',
  '  status for some of the regions.',
  '- A replay on a machine that is too busy to probe and answer in time is not recorded.',
  '- `acceptance/outages/plays` has each replay with its times, services and sentences.',
  '',
  'Replay one on the real path: `npm run replay -- meta-2021`. Add `--record` to update this page. The virtual clock:',
  '`npm run replay -- --virtual --record`.',
  '',
]

const limits = [
  '## Known misses in these replays',
  '',
  '- Dyn, first attack: names of eight services fail from one region only. A fault of our own network in that region',
  '  looks the same, so the answers exclude the region ("iad not read") and are `up`.',
  '- Azure Front Door: some requests to several services get no answer. Several silent services at once in one region',
  '  may be a fault of our own, so most answers are `up`.',
  '- Fastly and Meta, the recovery: some requests fail. An agent retries once, which hides most such failures. Most',
  '  answers are `up`.',
  '- Cloudflare: five minutes of failure and five of success get alternating answers, `down` and `up`, instead of one',
  '  period.',
  '',
]

type Group = { from: string; truth: string; members: readonly Judged[]; rule: readonly Judged[] }

/** Groups services with the same truth at the same time into one row. */
const groupsOf = ({ ours, rule }: PlayRecord): Group[] =>
  [...Map.groupBy(ours, ({ from, truth }) => `${from} ${truth}`).values()].map((members) => {
    const { from = '', truth = '' } = members[0] ?? {}
    const services = new Set(members.map(({ service }) => service))
    return {
      from,
      truth,
      members,
      rule: rule.filter((one) => one.from === from && services.has(one.service)),
    }
  })

const overviewOf = ({ slug, records }: Outage): string[][] => {
  const [record] = records
  if (record === undefined) return []
  const failing = groupsOf(record).filter(({ truth }) => truth !== 'up')
  const shown = failing.length === 0 ? groupsOf(record) : failing
  return [...Map.groupBy(shown, ({ truth }) => truth)].map(([truth, groups]) => {
    const members = groups.flatMap((group) => group.members)
    const rule = groups.flatMap((group) => group.rule)
    const soon = [soonOf(members), soonOf(rule)] as const
    const row = [slug, `\`${truth}\``, sharesOf(members), soon[0], sharesOf(rule), soon[1]]
    return [...row, records.some(({ clock }) => clock === 'real') ? 'recorded' : 'not recorded']
  })
}

const sectionOf = ({ slug, world, records }: Outage): string[] => [
  `## ${slug}`,
  '',
  `${world.title}. ${blameOf(world, records)}`,
  '',
  ...sightOf(world),
  ...listOf('Assumptions where the sources have no statement:', [
    ...new Set(world.conditions.flatMap(({ assumed }) => assumed ?? [])),
  ]),
  `Sources: ${Object.values(world.sources)
    .map(({ publisher, url }) => `[${publisher}](${url})`)
    .join(', ')}`,
  '',
]

const sightOf = (world: World): string[] => [
  ...listOf('What we cannot see:', [
    ...new Set(world.services.flatMap(({ slug }) => truthOf(world, slug).flatMap(({ why }) => why ?? []))),
  ]),
]

const blameOf = ({ atFault }: World, records: readonly PlayRecord[]): string => {
  const truth = atFault.name === null ? 'nothing shared' : `${atFault.kind} ${atFault.name}`
  const fault = `At fault: ${truth}. ${atFault.why}`
  // only the real path finds shared causes
  const record = records.find(({ clock }) => clock === 'real')
  if (record === undefined) return fault
  const blamed = new Map<string, string>()
  for (const { at, blames } of record.internet) {
    if (blames === null) continue
    const name = `${blames.kind} ${blames.name}`
    if (!blamed.has(name)) blamed.set(name, `${name} from ${clock(at)}`)
  }
  const blamedText = blamed.size === 0 ? 'nothing' : [...blamed.values()].join(', ')
  return `${fault} We blamed: ${blamedText}.`
}

const listOf = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, '', ...items.map((item) => `- ${item}`), '']

const clock = (at: string): string => at.slice(11, 16)

/** The statuses by their share of all answers, the most frequent first. */
const sharesOf = (all: readonly Judged[]): string => {
  const counts = new Map<string, number>()
  for (const { statuses } of all)
    for (const [status, count] of Object.entries(statuses))
      counts.set(status, (counts.get(status) ?? 0) + count)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([status, count]) => `\`${status}\` ${percent(count / total)} %`)
    .join(', ')
}

const percent = (share: number): string =>
  share > 0 && share < 0.005 ? '<1' : String(Math.round(share * 100))

/** The earliest and the latest of the services. */
const soonOf = (all: readonly Judged[]): string => {
  const soon = all.flatMap(({ answeredAfter }) => answeredAfter ?? [])
  const never = all.length - soon.length
  if (soon.length === 0) return 'never'
  const [least, most] = [Math.min(...soon), Math.max(...soon)]
  const range = least === most ? `${most}` : `${least} to ${most}`
  return never === 0 ? range : `${range}, ${never} of ${all.length} never`
}
