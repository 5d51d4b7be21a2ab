// `npm run replay -- meta-2021`: plays a documented outage on the real path and prints the answers.
import { parseArgs } from 'node:util'
import { changesOf, turned } from '../altered.ts'
import { writeDocument } from './document.ts'
import { machineProblem, recordOf, writeRecord, type PlayRecord } from './records.ts'
import { readWorld, worldSlugs } from '../worlds.ts'
import { play, playedFrom, stretchIntervalsMax, untilAllUp, type InternetAnswer } from './play.ts'
import { startStage } from './stage.ts'
import { documentedMs, type TimedAnswer } from './timeline.ts'
import { playVirtually, virtualIntervalSeconds } from './virtual.ts'

const slugs = await worldSlugs()
const usage = `\
npm run replay -- meta-2021              replays one outage and prints our answers next to the documented facts
npm run replay -- meta-2021 --turn 1     the same with its regions rotated by one
npm run replay -- meta-2021 --interval 10   seconds between readings; a minute of the outage takes as long (10)
npm run replay -- meta-2021 --record     the same, recorded in acceptance/outages/plays and docs/outages.md
npm run replay -- --virtual --record     all of them on a virtual clock at 60 s, which takes seconds

outages: ${slugs.join(', ')}
`

const refuse = (problem: string): never => {
  process.stderr.write(`${problem}\n\n${usage}`)
  process.exit(2)
}

const parsed = (() => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        turn: { type: 'string', default: '0' },
        interval: { type: 'string', default: '10' },
        record: { type: 'boolean', default: false },
        virtual: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
})()
const [slug = '', ...more] = parsed.positionals
if (parsed.values.help) {
  process.stdout.write(usage)
  process.exit(0)
}
if (!parsed.values.virtual && (!slugs.includes(slug) || more.length > 0)) refuse('name one outage')
const [turn, intervalSeconds] = [Number(parsed.values.turn), Number(parsed.values.interval)]
if (!Number.isInteger(turn)) refuse('--turn must be a whole number')
if (!(intervalSeconds >= 2 && intervalSeconds <= 60)) refuse('--interval must be from 2 to 60')

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

const printTable = ({ ours, rule }: PlayRecord): void => {
  for (const [name, judged] of [
    ['we', ours],
    ['rule', rule],
  ] as const)
    for (const { service, from, truth, answeredAfter, statuses } of judged) {
      const soon = answeredAfter === null ? 'never' : answeredAfter.toFixed(1)
      const words = Object.entries(statuses).map(([status, count]) => `${status} ${count}`)
      print(
        `${name.padEnd(5)} ${from.slice(11, 16)}  ${service.padEnd(20)} ${truth.padEnd(21)} ${soon.padStart(5)}  ${words.join(', ')}`,
      )
    }
}

/** Plays every outage without the real path. */
const playAllVirtually = async (): Promise<void> => {
  for (const outage of slugs) {
    const documented = turned(await readWorld(outage), turn)
    const played = await playVirtually(documented)
    const how = { outage, clock: 'virtual', turn, intervalSeconds: virtualIntervalSeconds } as const
    const record = recordOf({ ...how, documented, internet: [], ...played })
    print(`\n${documented.title}`)
    printTable(record)
    if (parsed.values.record) await writeRecord(record)
  }
  if (parsed.values.record) await writeDocument()
}
if (parsed.values.virtual) {
  await playAllVirtually()
  process.exit(0)
}

const documented = turned(await readWorld(slug), turn)
print(documented.title)
const stage = await startStage(documented, intervalSeconds)
try {
  await untilAllUp(documented, stage)
  const world = playedFrom(documented, intervalSeconds, Date.now())
  const minutes = ((world.until - world.from) / 60_000).toFixed(1)
  print(`plays ${clock(documented.from)} to ${clock(documented.until)} UTC in ${minutes} min;`)
  print(`a stretch without changes takes at most ${stretchIntervalsMax} intervals:`)
  const stretches = changesOf(documented)
  for (const [index, until] of changesOf(world).entries()) {
    const from = stretches[index - 1]
    const lasted = (stretches[index] ?? 0) - (from ?? 0)
    const lasts = (until - (changesOf(world)[index - 1] ?? 0)) / 1_000 / intervalSeconds
    if (from !== undefined)
      print(`  from ${clock(from)}: ${lasted / 60_000} min in ${lasts.toFixed(1)} intervals`)
  }

  const noticed = [...documented.noticed]
  let before = ''
  let minute = ''
  const onAnswers = (answers: readonly TimedAnswer[], internet: InternetAnswer): void => {
    const atMs = documentedMs(documented, world, internet.atMs)
    while (noticed[0] !== undefined && noticed[0].at <= atMs) {
      const { at, what } = noticed.shift() ?? { at: 0, what: '' }
      print(`${clock(at)}  documented: ${what}`)
    }
    const byStatus = Map.groupBy(answers, ({ status }) => status)
    const lines = [...byStatus].map(
      ([status, all]) =>
        `${status}: ${all.map(({ slug }) => slug).join(', ')}${status === 'up' ? '' : `; "${all[0]?.summary}"`}`,
    )
    lines.push(`internet ${internet.status}: "${internet.summary}"`)
    // the time of measurement differs in each answer
    const key = lines.join().replaceAll(/measured [\d: -]+ UTC/g, '')
    // at most once in a documented minute, so that short changes are printed together
    if (key === before || clock(atMs) === minute) return
    before = key
    minute = clock(atMs)
    print(`${clock(atMs)}  answered:`)
    for (const line of lines) print(`         ${line}`)
  }
  const { answers, rule, internet } = await play(world, stage, onAnswers)

  print('\nthe documented status, and the delay of our answer, in intervals')
  const record = recordOf({
    outage: slug,
    clock: 'real',
    turn,
    intervalSeconds,
    documented,
    world,
    answers,
    rule,
    internet,
  })
  printTable(record)
  const problem = machineProblem(record)
  if (problem !== null) print(`not recorded: ${problem}. Replay it.`)
  else if (parsed.values.record) {
    await writeRecord(record)
    await writeDocument()
  }
} finally {
  await stage.close()
}
process.exit(0)
