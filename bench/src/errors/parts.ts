import { askOnce } from '../child.ts'
import { repeatsOf } from '../repeats.ts'
import type { BenchContext } from '../run-bench.ts'
import { median } from '../statistics.ts'
import type { PartsAnswer, PartsQuestion } from './parts-process.ts'

const script = new URL('parts-process.ts', import.meta.url)
const names = ['unpack', 'parse', 'scrub', 'group', 'publish', 'decode'] as const

/** CPU of one event by what is done with it: at the door, and `decode` where it is taken off the stream. */
export const measureParts = async ({ quick, say, report }: BenchContext): Promise<void> => {
  say('parts: each by itself')
  const runs: PartsAnswer[] = []
  for (let n = 0; n < repeatsOf(quick); n++) {
    const question: PartsQuestion = { events: quick ? 400 : 2_000 }
    runs.push(await askOnce<PartsAnswer>(script, question))
  }
  for (const name of names) {
    const values = runs.map((run) => run[name])
    report({
      figure: `part_${name}_cpu_per_event`,
      value: median(values),
      unit: 'CPU ms',
      context: { runs: values },
    })
  }
}
