import { startLoop } from '@probe-mesh/runtime/loop'
import type { EntryPart } from '@probe-mesh/infra/testing/processes/entry-part'

const paceMs = 500
const answerMsMax = 5_000

/** Statuses that clients received for the checks. */
export type Followed = {
  /** By status, the longest continuous time of any check, ms. */
  readonly longestMs: ReadonlyMap<string, number>
  readonly answers: number
  /** Answers other than 200 of running control planes. */
  readonly refused: readonly string[]
}

/** Polls the status of all checks from each running control plane. */
export const followStatuses = (
  mesh: { controlPlanes: readonly EntryPart[]; apiKey: string },
  checkIds: ReadonlySet<string>,
  /** Parts that are being stopped or started, which may refuse. */
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
  /** @returns its answer; null: it is starting, has stopped, or refuses */
  const query = async (part: EntryPart, path: string): Promise<string | null> => {
    const answer = await read(`${part.url}/v1${path}`, mesh.apiKey).catch(() => null)
    if (answer === null || replacing.has(part)) return null
    answers += 1
    if (answer.ok) return answer.text
    refused.push(`${part.name}: ${answer.status} ${path} ${answer.text}`)
    return null
  }
  const poll = async (part: EntryPart): Promise<void> => {
    if (!part.isAlive) return
    const [text] = await Promise.all([
      query(part, '/checks'),
      query(part, `/checks/${[...checkIds][0]}/readings`),
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
      await Promise.all(mesh.controlPlanes.map(poll))
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
