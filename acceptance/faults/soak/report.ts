import type { RunStamp } from '../run-stamp.ts'
import { courseText, type Course } from './course.ts'
import { faultKinds } from './fault.ts'
import type { Inflicted } from './inflict.ts'
import type { SoakVerdict } from './judge.ts'
import type { SoakPlan } from '../soak-plan.ts'

/** A finished soak. */
export type SoakRun = {
  stamp: RunStamp
  plan: SoakPlan
  checks: number
  inflicted: readonly Inflicted[]
  /** The courses of all parts. */
  courses: readonly Course[]
  verdicts: readonly SoakVerdict[]
}

/** The final output of `npm run faults -- --soak`. */
export const printedSoak = ({ plan, inflicted, courses, verdicts }: SoakRun): string =>
  [
    '',
    ...verdicts.map(
      ({ promise, figure, verdict }) => `${verdict.padEnd(8)}  ${promise}\n          ${figure}`,
    ),
    '',
    ...courses.map((course) => `${courseText(course)}, ${lives(course)}`),
    `${inflicted.length} faults in ${plan.minutes} minutes, seed ${plan.seed}: ${kindsOf(inflicted)}`,
  ].join('\n')

/** The section of `docs/reliability.md` that a soak writes. */
export const soakSection = (run: SoakRun): string => {
  const { stamp, plan, checks, inflicted, verdicts } = run
  return `## The soak

Written by \`npm run faults -- --soak\` on ${stamp.date}, of ${stamp.commit}, on ${stamp.machine}. ${plan.minutes} minutes, ${checks} checks in
${plan.regions.join(', ')} at ${plan.rate} readings a second, one process per part, a fault every 30 s from seed ${plan.seed}: ${kindsOf(inflicted)}.
One control plane and one agent per region are never killed, but get every other fault. The verdict uses their memory.

| promise | figure | verdict |
| --- | --- | --- |
${verdicts.map(({ promise, figure, verdict }) => `| ${promise} | ${figure} | ${verdict === 'kept' ? 'kept' : `**${verdict}**`} |`).join('\n')}
`
}

const lives = ({ lives, samples }: Course): string =>
  `${lives} ${lives === 1 ? 'life' : 'lives'}, ${samples} samples`

const kindsOf = (inflicted: readonly Inflicted[]): string =>
  faultKinds
    .map((kind) => ({ kind, count: inflicted.filter((one) => one.kind === kind).length }))
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => `${count} ${kind}`)
    .join(', ')
