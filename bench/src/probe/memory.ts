import { askOnce } from '../harness/child.ts'
import { roundsOf } from '../harness/turns.ts'
import type { BenchContext } from '../harness/run-bench.ts'
import { median } from '../harness/statistics.ts'
import type { AgentQuestion } from './agent-process.ts'
import type { Held } from './run-held.ts'
import type { Targets } from './targets.ts'

const script = new URL('agent-process.ts', import.meta.url)

const protocols = [
  { name: 'http', secure: false, count: 2_000, aim: { atMost: 60 } },
  { name: 'https', secure: true, count: 1_000, aim: { atMost: 120 } },
] as const

type Repeat = Held & { mostHeld: number }

/** Memory of a check that waits for its response; a new agent per round, http and https in turns. */
export const measureMemory = async (context: BenchContext, targets: Targets): Promise<void> => {
  const { quick, log } = context
  const seen = protocols.map((protocol) => ({ ...protocol, repeats: [] as Repeat[] }))
  for (let n = 1; n <= roundsOf(quick); n++) {
    for (const each of seen) {
      const count = quick ? each.count / 10 : each.count
      log(`memory, repeat ${n}: ${count} ${each.name} checks in flight`)
      each.repeats.push(await hold(targets, each.secure, count))
    }
  }
  for (const { name, aim, repeats } of seen) {
    const runs = repeats.map((one) => (one.peakBytes - one.baseBytes) / one.mostHeld / 1_000)
    context.report({
      figure: `${name}_memory_per_check_in_flight`,
      value: median(runs),
      unit: 'KB',
      aim,
      context: {
        runs,
        inFlight: median(repeats.map(({ mostHeld }) => mostHeld)),
        baseMiB: median(repeats.map(({ baseBytes }) => baseBytes / 2 ** 20)),
        failed: median(repeats.map(({ failed }) => failed)),
      },
    })
  }
}

/** A check is in flight while the target holds its response. Some may start after others ended. */
const hold = async (targets: Targets, secure: boolean, count: number): Promise<Repeat> => {
  await targets.mostHeld()
  const question: AgentQuestion = { kind: 'held', target: targets, secure, count }
  const held = await askOnce<Held>(script, question, { flags: ['--expose-gc'] })
  return { ...held, mostHeld: await targets.mostHeld() }
}
