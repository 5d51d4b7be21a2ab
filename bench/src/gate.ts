import { readFile, writeFile } from 'node:fs/promises'
import { accept, describeVerdict, judge, type AcceptedRatios } from './gate/judge.ts'
import { measureRatios } from './measure-gate.ts'
import { gateRatios, type RatioName } from './gate/ratios.ts'
import { figureLine, tableOf } from './harness/figure.ts'
import { commitsSince, describeCommit } from './harness/machine.ts'
import { median } from './harness/statistics.ts'

/** The accepted figures and limits, tracked. */
const file = new URL('../gate.json', import.meta.url)

const names = Object.keys(gateRatios) as RatioName[]

/**
 * Measures each ratio and compares it with its limit.
 * @param options.accept write what left its limits
 * @returns whether every ratio has a limit and is within it
 */
export const runGate = async (options: {
  accept: boolean
  log: (line: string) => void
  print: (line: string) => void
}): Promise<boolean> => {
  const { log, print } = options
  const accepted = JSON.parse(await readFile(file, 'utf8')) as AcceptedRatios
  const runs = await measureRatios((line) => log(`  ${line}`))
  const lines = names.map((figure) => {
    const limit = accepted[figure]?.limit
    const aim = limit === undefined ? undefined : { atMost: limit }
    return figureLine('gate', { figure, runs: runs[figure], unit: 'ratio of CPU', aim })
  })
  for (const line of lines) print(JSON.stringify(line))
  log(`\n${tableOf(lines)}\n`)
  const figures = Object.fromEntries(names.map((name) => [name, median(runs[name])])) as Record<
    RatioName,
    number
  >
  for (const name of names) {
    const last = accepted[name]
    const commit = last?.commit ?? null
    const commits = commit === null ? null : await commitsSince(commit, gateRatios[name].folders)
    const text = describeVerdict(name, figures[name], last, commits)
    if (text !== null) log(`${text}\n`)
  }
  if (options.accept) {
    const commit = (await describeCommit())?.replace('+', '') ?? null
    const next = accept(accepted, figures, { commit, date: new Date().toISOString().slice(0, 10) })
    await writeFile(file, `${JSON.stringify(next, null, 2)}\n`)
    log('wrote bench/gate.json; say in its commit why')
    return true
  }
  const verdicts = names.map((name) => judge(figures[name], accepted[name]))
  if (verdicts.every((verdict) => verdict === 'within' || verdict === 'better')) return true
  log('Find the commit, or accept the cost: npm run bench -- gate --accept, and say why in the commit.')
  return false
}
