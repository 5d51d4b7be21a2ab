import type { RunReply } from '@probe-mesh/bus/port'
import { RunRequest } from '@probe-mesh/contracts/assignment'
import type { Region } from '@probe-mesh/contracts/regions'
import type { Dispatcher } from './dispatcher.ts'

/** Answers `mesh.run.<region>`: one run at once, its reading also spooled like any other. */
export const answerRun =
  (capabilities: {
    agent: string
    region: Region
    dispatcher: Dispatcher
    onRefused: () => void
  }) =>
  async (request: RunRequest): Promise<RunReply> => {
    const { agent, region, dispatcher, onRefused } = capabilities
    const refuse = (error: string): RunReply => {
      onRefused()
      return { agent, error }
    }
    const parsed = RunRequest.safeParse(request)
    if (!parsed.success) return refuse('not_understood')
    const { assignment, at, kind, number } = parsed.data
    if (assignment.region !== region) return refuse('other_region')
    const reading = await dispatcher.runNow(assignment, { slot: at, kind, number })
    return reading === 'busy' ? refuse('busy') : { agent, reading }
  }
