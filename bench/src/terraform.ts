import { buildProvider } from '@probe-mesh/acceptance/terraform/testing/run-terraform'
import { withFolder } from './folder.ts'
import { growthFigure } from './growth.ts'
import type { BenchContext } from './run-bench.ts'
import { median } from './statistics.ts'
import { startPlane } from './terraform/plane.ts'
import { createCpuRecord } from './terraform/provider-cpu.ts'
import { reportRounds } from './terraform/report.ts'
import { measureRound } from './terraform/rounds.ts'
import type { Round } from './terraform/rounds.ts'
import { openStage } from './terraform/stage.ts'
import type { Stage } from './terraform/stage.ts'
import { measureStartUp } from './terraform/start-up.ts'

const counts = [1, 100, 500] as const
const tasks = ['noop', 'create'] as const
const rounds = 5
const roundsQuick = 2

/** Plans of the built provider, beside as many resources of Terraform's own. */
export const measureTerraform = (context: BenchContext): Promise<void> =>
  withFolder(async (folder) => {
    context.say('building the provider, starting a control plane')
    const built = await buildProvider()
    const closers: (() => Promise<void>)[] = [() => built.close()]
    try {
      await measureStartUp(context, built.folder)
      const plane = await startPlane(folder)
      closers.unshift(() => plane.close())
      const record = await createCpuRecord(folder)
      const { say, report } = context

      const plans: Plans[] = []
      for (const count of counts) {
        for (const task of tasks) {
          say(`making ${count} to plan: ${task}`)
          const apiKey = await plane.createAccount()
          const access = { providerFolder: built.folder, apiUrl: plane.apiUrl, apiKey, record }
          const check = await openStage('check', task, count, access)
          closers.unshift(() => check.close())
          const data = await openStage('data', task, count, access)
          closers.unshift(() => data.close())
          plans.push({ name: `${task}_${count}`, count, stages: { check, data }, measured: [] })
        }
      }
      const last = context.quick ? roundsQuick : rounds
      for (let round = 1; round <= last; round++) {
        say(`plans, round ${round} of ${last}`)
        for (const { stages, measured } of plans) {
          measured.push(await measureRound(round, stages, { ...plane, record }))
        }
      }
      for (const { name, count, measured } of plans) reportRounds(report, name, count, measured)
      for (const task of tasks) reportGrowth(context, task, plans)
    } finally {
      for (const close of closers) await close()
    }
  })

const reportGrowth = ({ report }: BenchContext, task: string, plans: readonly Plans[]): void =>
  report(
    growthFigure({
      figure: `${task}_cpu`,
      of: `a plan of ours: ${task}`,
      in: 'checks',
      unit: 'CPU ms',
      steps: plans
        .filter(({ name }) => name.startsWith(`${task}_`))
        .map(({ count, measured }) => ({
          work: count,
          cost: median(measured.map(({ check }) => check.cpuMs)),
        })),
    }),
  )

/** Of one task and count: both folders, and what came out so far. */
type Plans = {
  name: string
  count: number
  stages: Record<'check' | 'data', Stage>
  measured: Round[]
}
