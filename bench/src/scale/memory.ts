import { askOnce } from '../child.ts'
import type { BenchContext } from '../run-bench.ts'
import type { MemoryAnswer, MemoryQuestion } from './memory-process.ts'
import { tenRegions } from './ten-regions.ts'

const script = new URL('memory-process.ts', import.meta.url)
const agents = 50

/** What a check costs in memory, wherever something of it is remembered. */
export const measureMemory = async ({ quick, say, report }: BenchContext): Promise<void> => {
  const checks = quick
    ? { assessor: 5_000, ingest: 5_000, agent: 20_000 }
    : { assessor: 50_000, ingest: 50_000, agent: 200_000 }
  say(`memory: of ${checks.assessor} checks in ten regions, ${checks.agent} in one`)
  const question = { checks, regions: [...tenRegions], agents } satisfies MemoryQuestion
  const answer = await askOnce<MemoryAnswer>(script, question, ['--expose-gc'])
  const perCheck = (bytes: number, count: number) => Math.round(bytes / count)
  const bytes = [
    ['assessor_bytes_per_check', perCheck(answer.assessorBytes, checks.assessor)],
    [
      'ingest_bytes_per_check_and_region',
      perCheck(answer.storedSlotsBytes, checks.ingest * tenRegions.length),
    ],
    ['agent_bytes_per_check_of_its_region', perCheck(answer.agentBookBytes, checks.agent)],
    ['assignment_bytes_in_bucket', answer.assignmentWireBytes],
  ] as const
  for (const [figure, value] of bytes) {
    report({ figure, value, unit: 'bytes', context: { ...checks, regions: tenRegions.length } })
  }
  const perMillion = (seconds: number) => (seconds / checks.agent) * 1_000_000
  const context = { checks: checks.agent, agents, own: answer.ownChecks }
  report({
    figure: 'agent_takes_1000000_assignments',
    value: perMillion(answer.takeSeconds),
    unit: 'CPU s',
    context,
  })
  report({
    figure: 'agent_shares_1000000_assignments_anew',
    value: perMillion(answer.shareSeconds),
    unit: 'CPU s',
    context,
  })
}
