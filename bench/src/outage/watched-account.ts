import { createApiClient } from '@probe-mesh/contracts/api/client'
import { createChecks } from '@probe-mesh/acceptance/testing/create-checks'
import { createTestAccount } from '@probe-mesh/infra/testing/processes/account'
import type { Processes } from '@probe-mesh/infra/testing/processes/processes'

/** An account with one check of 30 s, in all regions, and a webhook that is told of it. */
export const createWatchedAccount = async (
  mesh: Pick<Processes, 'apiUrl' | 'databaseUrl'>,
  { target, webhook }: { target: string; webhook: string },
): Promise<string> => {
  const account = { apiUrl: mesh.apiUrl, apiKey: await createTestAccount(mesh.databaseUrl) }
  const client = createApiClient(account)
  const body = { name: 'webhook', type: 'json', config: { url: webhook } } as const
  const channel = await client.call('createChannel', { body })
  if (!channel.ok) throw new Error(channel.problem.message)
  const tried = await client.call('testChannel', { params: { id: channel.value.id } })
  if (!tried.ok) throw new Error(tried.problem.message)
  const [id] = await createChecks(account, [{ name: 'shop', url: target, intervalSeconds: 30 }])
  if (id === undefined) throw new Error('no check was made')
  return id
}
