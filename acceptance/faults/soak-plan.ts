import { parseArgs } from 'node:util'
import { Region } from '@probe-mesh/contracts/reading/regions'

/** What a soak was asked to be. */
export type SoakPlan = {
  minutes: number
  /** Readings a second, of all checks and regions together. */
  rate: number
  /** Of the faults: the same seed gives the same faults in the same order. */
  seed: number
  regions: readonly Region[]
  /** Where the samples go; null: nowhere. */
  jsonFile: string | null
}

export const soakUsage = `\
npm run faults -- --soak [--minutes 60] [--rate 500] [--seed 1] [--regions iad,fra] [--json samples.json]
`

const minutesMax = 24 * 60
const rateMax = 5_000
/** One region alone could never be down, since it takes two. */
const regionsMin = 2

/** @param args what stands beside `--soak`. @returns the plan, or every problem at once */
export const parseSoakPlan = (
  args: string[],
): { ok: true; plan: SoakPlan } | { ok: false; problems: string[] } => {
  const options = {
    soak: { type: 'boolean' },
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    regions: { type: 'string', default: 'iad,fra' },
    json: { type: 'string' },
  } as const
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
  try {
    values = parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
  const problems: string[] = []
  const number = (name: 'minutes' | 'rate' | 'seed', max: number): number => {
    const value = Number(values[name])
    const isSound = Number.isInteger(value) && value >= 1 && value <= max
    if (!isSound) problems.push(`--${name} is a whole number from 1 to ${max}`)
    return value
  }
  const regions = [...new Set(values.regions.split(','))]
  const isSound = regions.every((region) => Region.safeParse(region).success)
  if (!isSound || regions.length < regionsMin)
    problems.push('--regions are two or more, as in iad,fra')
  const plan: SoakPlan = {
    minutes: number('minutes', minutesMax),
    rate: number('rate', rateMax),
    seed: number('seed', 2 ** 31),
    regions,
    jsonFile: values.json ?? null,
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, plan }
}
