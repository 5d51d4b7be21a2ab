import type { Events } from '@probe-mesh/bus/port'
import { reportsPerEventMax, ReportsTold, reportsTellMs } from '@probe-mesh/contracts/mesh/events'
import type { ToldReport } from '@probe-mesh/contracts/mesh/events'

export type ReportTeller = {
  /** Tells the other instances: at once after a quiet moment, else with what came meanwhile. */
  tell(report: ToldReport): void
  /** Tells what is left. */
  close(): Promise<void>
}

/** Tells the others what this instance counts, and hears what they do; its own is not heard. */
export const startReportTeller = async (capabilities: {
  events: Events
  /** Of this instance's life. */
  id: string
  onTold: (report: ToldReport) => void
}): Promise<ReportTeller> => {
  const { events, id, onTold } = capabilities
  let waiting: ToldReport[] = []
  let timer: NodeJS.Timeout | null = null

  const publish = (): void => {
    if (waiting.length === 0) return
    const told: ReportsTold = { teller: id, reports: waiting }
    waiting = []
    events.publish('reports', told)
  }
  const tellSome = (): void => {
    timer = waiting.length === 0 ? null : setTimeout(tellSome, reportsTellMs)
    publish()
  }
  const subscription = await events.subscribe('reports', (payload) => {
    const told = ReportsTold.safeParse(payload)
    if (!told.success || told.data.teller === id) return
    for (const report of told.data.reports) onTold(report)
  })
  return {
    tell: (report) => {
      waiting.push(report)
      if (waiting.length >= reportsPerEventMax) publish()
      timer ??= setTimeout(tellSome, 0)
    },
    close: async () => {
      if (timer !== null) clearTimeout(timer)
      publish()
      await subscription.close()
    },
  }
}
