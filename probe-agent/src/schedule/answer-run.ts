import type { RunReply } from '@probe-mesh/bus/port'
import { AskedRun, toHeldAssignment, type RunRequest } from '@probe-mesh/contracts/mesh/assignment'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Dispatcher } from './dispatcher.ts'

/**
 * Answers `mesh.run.<region>`: one run at once, whose reading is also spooled. A type that this
 * version does not know counts as refused, and its reading reports that.
 */
export const answerRun =
  (capabilities: { agent: string; region: Region; dispatcher: Dispatcher; onRefused: () => void }) =>
  async (request: RunRequest): Promise<RunReply> => {
    const { agent, region, dispatcher, onRefused } = capabilities
    const refuse = (error: string): RunReply => {
      onRefused()
      return { agent, error }
    }
    const parsed = AskedRun.safeParse(request)
    const assignment = parsed.success ? toHeldAssignment(parsed.data.assignment) : null
    if (!parsed.success || assignment === null) return refuse('not_understood')
    const { at, kind, number, freeTrial = false, excerpt = false } = parsed.data
    if (assignment.region !== region) return refuse('other_region')
    const reading = await dispatcher.runNow(assignment, { slot: at, kind, number, freeTrial, excerpt })
    if (reading === 'busy') return refuse('busy')
    if (assignment.type === 'unknown') onRefused()
    return { agent, reading }
  }
