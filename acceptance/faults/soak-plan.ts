import { Region } from '@probe-mesh/contracts/reading/regions'
import { defineCommandLine, flag, parseArgv } from '@probe-mesh/runtime/argv'
import { list, optional, path, right, wholeNumber, withDefault, wrong } from '@probe-mesh/runtime/setting'

/** The settings of a soak. */
export type SoakPlan = {
  minutes: number
  /** Readings per second, for all checks and regions. */
  rate: number
  /** The same seed gives the same faults in the same order. */
  seed: number
  regions: readonly Region[]
  /** File for the samples; null: none. */
  jsonFile: string | null
}

export const soakUsage = `\
npm run faults -- --soak [--minutes 60] [--rate 500] [--seed 1] [--regions iad,fra] [--json samples.json]
`

const regions = list('region codes', (codes) => {
  const different = [...new Set(codes)]
  // a check needs two regions to be down
  return different.length >= 2 && different.every((code) => Region.safeParse(code).success)
    ? right(different)
    : wrong('are two or more, for example iad,fra')
})

const soak = defineCommandLine({
  call: 'npm run faults --',
  about: 'Runs a mesh of processes under load, with a fault every 30 s.',
  commands: {
    '': {
      summary: '',
      options: {
        soak: flag('run the soak'),
        minutes: withDefault(wholeNumber({ min: 1, max: 24 * 60, unit: 'minutes' }), 60, 'duration, minutes'),
        rate: withDefault(wholeNumber({ min: 1, max: 5_000 }), 500, 'readings a second'),
        seed: withDefault(wholeNumber({ min: 1, max: 2 ** 31 }), 1, 'seed that selects the faults'),
        regions: withDefault(regions, ['iad', 'fra'], 'regions, separated by commas'),
        json: optional(path, 'none', 'file for the samples'),
      },
    },
  },
})

/** @param args the arguments, including `--soak`. @returns the plan, or all problems */
export const parseSoakPlan = (
  args: string[],
): { ok: true; plan: SoakPlan } | { ok: false; problems: string[] } => {
  const parsed = parseArgv(soak, args)
  if (parsed.kind === 'help') return { ok: false, problems: [] }
  if (parsed.kind === 'wrong') return { ok: false, problems: parsed.problems }
  const { minutes, rate, seed, regions, json } = parsed.given
  return { ok: true, plan: { minutes, rate, seed, regions, jsonFile: json } }
}
