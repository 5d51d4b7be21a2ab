import { writeFile } from 'node:fs/promises'
import { markdownTable } from '@probe-mesh/runtime/tables'
import { readRecords } from './records.ts'
import type { Judged, PlayRecord } from './records.ts'
import { truthOf } from '../world.ts'
import type { World } from '../world.ts'
import { readWorld, worldSlugs } from '../worlds.ts'

/** docs/outages.md: the documented outages with what was answered when each was played. */

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
  'This page compares our answers with what public reports say of real outages.',
  '',
  'Each outage is a file in `acceptance/outages/worlds`. It states only what its sources say, and marks what it',
  'assumes. It is played in two ways:',
  '',
  '- On a virtual clock, at one reading a minute. The decisions are those of production (judging, confirmation,',
  '  quarantine, status, answers); the network is simulated. For comparison, a majority rule judges the same',
  '  scheduled probes: the rule, not the program.',
  '- On the real path: network namespaces, name servers, resolvers and web servers for each of four regions, with the',
  '  agents, control plane and stores of production. For comparison, a real blackbox_exporter in each region probes the same',
  '  hosts as often, with the same timeout. Time is compressed. The table says which outages are recorded this way.',
  '',
  'How to read the tables:',
  '',
  '- Delays are in intervals; at one reading a minute, an interval is a minute. Shares are of all answers, delay',
  '  included.',
  '- Long stretches without a change are shortened: to ten minutes on the virtual clock, to four intervals on the real',
  '  path. What flaps keeps two turns.',
  '- `intermittent`: requests fail and succeed. Only `down_in_some_regions` counts as right.',
  '- `out_of_sight`: people suffer, and four data centers cannot measure it. Only `up` counts as right.',
  '- The majority rule says `down` where fewer than half of the last probes succeed (`avg(probe_success) < 0.5`). It',
  '  has no word for some of the regions.',
  '- A replay on a machine that is too busy to probe and to answer in time is not recorded.',
  '',
  'Replay one on the real path: `npm run replay -- meta-2021`. Add `--record` to update this page. The virtual clock:',
  '`npm run replay -- --virtual --record`.',
  '',
]

const limits = [
  '## What these replays show that we miss',
  '',
  '- Dyn, first attack: names of eight services fail from one region alone. A fault of our own network in that region',
  '  looks the same, so the answers leave the region out ("iad not read") and say `up`.',
  '- Azure Front Door: a part of the requests to several services gets no answer. Several silent services at once in one',
  '  region are doubted as a fault of our own, so many answers say `up`.',
  '- Fastly and Meta, the recovery: a part of the requests fails. An agent retries once, which hides most failures of',
  '  that kind. Most answers say `up`.',
  '- Cloudflare: five minutes of failing and five of working are answered as `down` and `up` in turn, and not as one',
  '  period.',
  '',
]

type Group = { from: string; truth: string; members: readonly Judged[]; rule: readonly Judged[] }

/** Services with the same truth at the same time are one row. */
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
  `${world.title}.`,
  '',
  ...records.flatMap((record) => playOf(record)),
  ...sightOf(world),
  ...blameOf(world, records),
  ...listOf('Assumed where the sources are silent:', [
    ...new Set(world.conditions.flatMap(({ assumed }) => assumed ?? [])),
  ]),
  ...listOf(
    'Sources:',
    Object.values(world.sources).map(({ publisher, title, url }) => `${publisher}, [${title}](${url})`),
  ),
]

const playOf = (record: PlayRecord): string[] => [
  `${record.clock === 'virtual' ? 'On the virtual clock' : 'On the real path'}${record.turn === 0 ? '' : `, with the regions moved by ${record.turn}`}, ${record.intervalSeconds} s an interval:`,
  '',
  markdownTable([
    ['UTC', 'services', 'truth', 'our answers', 'right after', 'majority rule', 'rule right after'],
    ...groupsOf(record).map(({ from, truth, members, rule }) => [
      from.slice(0, 16).replace('T', ' '),
      members.map(({ service }) => service).join(', '),
      `\`${truth}\``,
      sharesOf(members),
      soonOf(members),
      sharesOf(rule),
      soonOf(rule),
    ]),
  ]),
  '',
  // the catalog of the virtual clock has other names
  ...(record.clock === 'real' ? spokenOf(record) : []),
]

/** The first sentence of each status and reason. */
const spokenOf = ({ spoken }: PlayRecord): string[] => {
  const first = new Map<string, string>()
  for (const { at, service, status, summary } of spoken) {
    const reason = /: (.*) \(asked/.exec(summary)?.[1] ?? ''
    const key = `${status} ${reason}`
    if (status === 'up' || first.has(key)) continue
    first.set(key, `${clock(at)} ${service}: "${summary.replace(/, measured .*/, '.')}"`)
  }
  return listOf('What was said first of each:', [...first.values()].slice(0, sentencesMax))
}
const sentencesMax = 4

const sightOf = (world: World): string[] => [
  ...listOf('What we cannot see:', [
    ...new Set(world.services.flatMap(({ slug }) => truthOf(world, slug).flatMap(({ why }) => why ?? []))),
  ]),
]

const blameOf = ({ atFault }: World, records: readonly PlayRecord[]): string[] => {
  const truth = atFault.name === null ? 'nothing shared' : `${atFault.kind} ${atFault.name}`
  const fault = `At fault: ${truth}. ${atFault.why}`
  // causes that services share are found on the real path alone
  const record = records.find(({ clock }) => clock === 'real')
  if (record === undefined) return [fault, '']
  const blamed = new Map<string, string>()
  for (const { at, blames } of record.internet) {
    if (blames === null) continue
    const name = `${blames.kind} ${blames.name}`
    if (!blamed.has(name)) blamed.set(name, `${name} from ${clock(at)}`)
  }
  const told = blamed.size === 0 ? 'nothing' : [...blamed.values()].join(', ')
  return [`${fault} We blamed: ${told}.`, '']
}

const listOf = (title: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : [title, '', ...items.map((item) => `- ${item}`), '']

const clock = (at: string): string => at.slice(11, 16)

/** The statuses by their share of all answers, the most frequent first. */
const sharesOf = (all: readonly Judged[]): string => {
  const counts = new Map<string, number>()
  for (const { said } of all)
    for (const [status, count] of Object.entries(said)) counts.set(status, (counts.get(status) ?? 0) + count)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([status, count]) => `\`${status}\` ${percent(count / total)} %`)
    .join(', ')
}

const percent = (share: number): string =>
  share > 0 && share < 0.005 ? '<1' : String(Math.round(share * 100))

/** The soonest and the latest of the services. */
const soonOf = (all: readonly Judged[]): string => {
  const soon = all.flatMap(({ toldAfter }) => toldAfter ?? [])
  const never = all.length - soon.length
  if (soon.length === 0) return 'never'
  const [least, most] = [Math.min(...soon), Math.max(...soon)]
  const range = least === most ? `${most}` : `${least} to ${most}`
  return never === 0 ? range : `${range}, ${never} of ${all.length} never`
}
