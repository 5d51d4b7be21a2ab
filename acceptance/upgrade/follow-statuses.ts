import { startLoop } from '@probe-mesh/runtime/loop'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'

const paceMs = 500
const answerMsMax = 5_000

/** Statuses that clients received for the checks. */
export type Followed = {
  /** By status, how long at most any one check had it without a pause, ms. */
  readonly longestMs: ReadonlyMap<string, number>
  readonly answers: number
  /** Answers other than 200 of control planes that ran. */
  readonly refused: readonly string[]
}

/** Asks, at a pace, each control plane that runs how all checks are. */
export const followStatuses = (
  mesh: { controlPlanes: readonly EntryPart[]; apiKey: string },
  checkIds: ReadonlySet<string>,
  /** The parts that are being stopped or started: they may refuse. */
  replacing: ReadonlySet<EntryPart>,
): { end(): Promise<Followed> } => {
  const longestMs = new Map<string, number>()
  const since = new Map<string, { status: string; atMs: number }>()
  const refused: string[] = []
  let answers = 0

  const note = (checkId: string, status: string, atMs: number): void => {
    const known = since.get(checkId)
    if (known?.status !== status) since.set(checkId, { status, atMs })
    const forMs = atMs - (since.get(checkId)?.atMs ?? atMs)
    longestMs.set(status, Math.max(longestMs.get(status) ?? 0, forMs))
  }
  /** @returns what it answered; null where it starts, was stopped meanwhile, or refuses */
  const ask = async (part: EntryPart, path: string): Promise<string | null> => {
    const answer = await read(`${part.url}/v1${path}`, mesh.apiKey).catch(() => null)
    if (answer === null || replacing.has(part)) return null
    answers += 1
    if (answer.ok) return answer.text
    refused.push(`${part.name}: ${answer.status} ${path} ${answer.text}`)
    return null
  }
  const look = async (part: EntryPart): Promise<void> => {
    if (!part.isAlive) return
    const [text] = await Promise.all([
      ask(part, '/checks'),
      ask(part, `/checks/${[...checkIds][0]}/readings`),
    ])
    if (text === null) return
    const { checks } = JSON.parse(text) as { checks: { id: string; status: string }[] }
    for (const { id, status } of checks) {
      if (checkIds.has(id)) note(`${part.name} ${id}`, status, Date.now())
    }
  }
  const following = startLoop({
    everyMs: paceMs,
    round: async () => {
      await Promise.all(mesh.controlPlanes.map(look))
    },
    onError: (error) => {
      throw error
    },
  })
  return {
    end: async () => {
      await following.close()
      return { longestMs, answers, refused }
    },
  }
}

const read = async (url: string, apiKey: string) => {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${apiKey}` },
    signal: AbortSignal.timeout(answerMsMax),
  })
  return { ok: response.ok, status: response.status, text: await response.text() }
}
