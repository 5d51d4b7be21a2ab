import { buildProvider } from '@probe-mesh/acceptance/terraform/testing/run-terraform'
import type { AppQuestion } from './harness/app-process.ts'
import { createBenchAccount, createBenchKey } from './harness/bench-checks.ts'
import type { Aim } from './harness/figure.ts'
import { growthFigure } from './harness/growth.ts'
import type { BenchContext } from './harness/run-bench.ts'
import { withClosers } from './harness/scope.ts'
import { startApp } from './harness/servers.ts'
import { median } from './harness/statistics.ts'
import { withStores } from './harness/stores.ts'
import { takeTurns } from './harness/turns.ts'
import { cpuMsOfEndedChildren } from './harness/usage.ts'
import { openStage, type Stage, type Task } from './terraform/stage.ts'
import { measureStartUp } from './terraform/start-up.ts'

const counts = [1, 100, 500] as const
const tasks = ['noop', 'create'] as const satisfies Task[]
/** How much longer than Terraform's own resource one check may take: nearly all of it is starting. */
const overOneMsMax = 250
const manyToDataMax = 3

/** Time, CPU of Terraform with everything it started, and the requests that the control plane got. */
type Run = { wallMs: number; cpuMs: number; requests: number }
type Round = Readonly<Record<Stage['kind'], Run>>

/** Plans of the built provider, beside as many of Terraform's own `terraform_data`. */
export const measureTerraform = (context: BenchContext): Promise<void> =>
  withStores((stores) =>
    withClosers(async (keep) => {
      const { quick, log } = context
      log('building the provider, starting a control plane')
      const built = keep(await buildProvider())
      await measureStartUp(context, built.folder)
      const app = keep(await startApp(stores))
      const takeRequests = () => app.child.ask<number>({ kind: 'requests' } satisfies AppQuestion)
      const plan = async (stage: Stage): Promise<Run> => {
        await takeRequests()
        const [cpuMs, startedAt] = [cpuMsOfEndedChildren(), performance.now()]
        await stage.plan()
        const wallMs = performance.now() - startedAt
        return { wallMs, cpuMs: cpuMsOfEndedChildren() - cpuMs, requests: await takeRequests() }
      }
      const medianCpu: Record<Task, { work: number; cost: number }[]> = { noop: [], create: [] }
      for (const count of counts) {
        for (const task of tasks) {
          log(`plans of ${count}: ${task}`)
          const accountId = await createBenchAccount(stores.sql, 'terraform')
          const apiKey = await createBenchKey(stores.sql, accountId, 'read_write')
          const access = { providerFolder: built.folder, apiUrl: `${app.origin}/v1`, apiKey }
          const check = keep(await openStage('check', task, count, access))
          const data = keep(await openStage('data', task, count, access))
          const rounds = await takeTurns(quick ? 2 : 5, {
            check: () => plan(check),
            data: () => plan(data),
          })
          reportRounds(context, `${task}_${count}`, count, rounds)
          const cost = median(rounds.map((round) => round.check.cpuMs))
          medianCpu[task].push({ work: count, cost })
        }
      }
      for (const task of tasks) {
        context.report(
          growthFigure({
            figure: `${task}_cpu`,
            of: `a Terraform plan: ${task}`,
            in: 'checks',
            unit: 'CPU ms',
            steps: medianCpu[task],
          }),
        )
      }
    }),
  )

const reportRounds = (
  { report }: BenchContext,
  name: string,
  count: number,
  rounds: readonly Round[],
): void => {
  for (const [what, unit, of, aim] of [
    ['wall', 'ms', ({ check }) => check.wallMs, undefined],
    ['data_wall', 'ms', ({ data }) => data.wallMs, undefined],
    [
      'over_data',
      'ms',
      ({ check, data }) => check.wallMs - data.wallMs,
      count === 1 ? { atMost: overOneMsMax } : undefined,
    ],
    [
      'to_data',
      'ratio',
      ({ check, data }) => check.wallMs / data.wallMs,
      count === 500 ? { atMost: manyToDataMax } : undefined,
    ],
    ['cpu', 'CPU ms', ({ check }) => check.cpuMs, undefined],
    ['data_cpu', 'CPU ms', ({ data }) => data.cpuMs, undefined],
    ['requests', 'requests', ({ check }) => check.requests, { atMost: 1 }],
  ] as const satisfies [string, string, (round: Round) => number, Aim | undefined][]) {
    report({ figure: `${name}_${what}`, runs: rounds.map(of), unit, aim })
  }
}
