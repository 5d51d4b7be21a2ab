import type { Check } from '@probe-mesh/contracts/check/check'
import type { Channel, ChannelTest } from '@probe-mesh/contracts/channel/channel'
import { readNamedChecks } from '../api/named-checks.ts'
import type { Api } from '../api/open-api.ts'
import { mapResult, type Result } from '../api/request.ts'
import { showName } from '../plan/show-value.ts'
import { onlyOne } from './find.ts'

/** The one check with a name or id. */
export const findCheck = async (api: Api, given: string): Promise<Result<Check>> => {
  const named = await readNamedChecks(api, given)
  return named.ok ? onlyOne('check', given, named.value, ({ name }) => [name]) : named
}

/** Pauses a check, or resumes it. A check that already is as wanted stays. */
export const setPaused = (
  api: Api,
  { id, name }: Pick<Check, 'id' | 'name'>,
  paused: boolean,
): Promise<Result<Check>> =>
  api.write(`${paused ? 'Pausing' : 'Resuming'} ${showName(name)}`, (client) =>
    client.call('updateCheckRegions', { params: { id }, body: { paused } }),
  )

export const readChannels = async (api: Api): Promise<Result<Channel[]>> => {
  const listed = await api.read('Reading the channels', (client) => client.call('listChannels', {}))
  return mapResult(listed, ({ notificationChannels }) => notificationChannels)
}

/** Sends a test message through a channel now. */
export const testChannel = async (api: Api, given: string): Promise<Result<ChannelTest>> => {
  const channels = await readChannels(api)
  if (!channels.ok) return channels
  const found = onlyOne('channel', given, channels.value, ({ name }) => [name])
  if (!found.ok) return found
  const { id, name } = found.value
  return api.write(`Testing ${showName(name)}`, (client) => client.call('testChannel', { params: { id } }))
}
