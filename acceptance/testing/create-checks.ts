import { createApiClient } from '@probe-mesh/contracts/api/client'
import type { CreateCheckInput } from '@probe-mesh/contracts/check/create-check-input'

/** Creates checks like an account, one after another. @returns their ids */
export const createChecks = async (
  account: { apiUrl: string; apiKey: string },
  inputs: readonly CreateCheckInput[],
): Promise<string[]> => {
  const client = createApiClient(account)
  const ids: string[] = []
  for (const body of inputs) {
    const answer = await client.call('createCheck', { body })
    if (!answer.ok) throw new Error(`${answer.problem.code}: ${answer.problem.message}`)
    ids.push(answer.value.id)
  }
  return ids
}
