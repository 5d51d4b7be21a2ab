import { ChannelType } from '@probe-mesh/contracts/channel/channel'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm } from '../outcome.ts'
import type { Outcome } from '../outcome.ts'
import type { MemberRoute } from '../page-route.ts'
import { channelForm, channelNames, configOf } from './channel-form.ts'
import { channelPage, channelsPage, deleteChannelPage, testedPage } from './channels-page.ts'

const list = '/dashboard/channels'
const elsewhere: Outcome = { kind: 'elsewhere', path: list }
const idIn = (params: Readonly<Record<string, string>>) => ({ params: { id: params['id'] ?? '' } })
const newTitle = (type: ChannelType): string => `A channel to ${channelNames[type]}`

/** Channels: listed, made, changed, tested, and deleted after a page that says what is lost. */
export const channelRoutes: readonly MemberRoute[] = [
  {
    method: 'GET',
    path: list,
    serve: async ({ ask }) => {
      const answer = await ask('listChannels', {})
      if (!answer.ok) return refused(answer)
      const main = channelsPage(answer.value.notificationChannels)
      return { kind: 'page', title: 'Channels', area: 'channels', main }
    },
  },
  {
    method: 'GET',
    path: `${list}/new`,
    serve: async ({ query }) => {
      const type = ChannelType.safeParse(query.get('type'))
      if (!type.success) return elsewhere
      const main = channelForm(type.data, null, emptyForm)
      return { kind: 'page', title: newTitle(type.data), area: 'channels', main }
    },
  },
  {
    method: 'POST',
    path: list,
    serve: async ({ ask, form }) => {
      const type = ChannelType.safeParse(form.get('type'))
      if (!type.success) return elsewhere
      const typed = Object.fromEntries(form)
      const body = {
        type: type.data,
        name: typed['name'] ?? '',
        config: configOf(type.data, typed) ?? {},
      }
      const answer = await ask('createChannel', { body: body as never })
      if (answer.ok) return { kind: 'elsewhere', path: `${list}/${answer.value.id}` }
      const { problem } = answer
      const main = channelForm(type.data, null, refusedForm(typed, problem))
      const title = newTitle(type.data)
      return { kind: 'page', title, area: 'channels', status: problem.status, main }
    },
  },
  {
    method: 'GET',
    path: `${list}/:id`,
    serve: async ({ ask, params }) => {
      const answer = await ask('getChannel', idIn(params))
      if (!answer.ok) return refused(answer)
      const { name } = answer.value
      const main = channelPage(answer.value, emptyForm)
      return { kind: 'page', title: name, area: 'channels', main }
    },
  },
  {
    method: 'POST',
    path: `${list}/:id`,
    serve: async ({ ask, params, form }) => {
      const found = await ask('getChannel', idIn(params))
      if (!found.ok) return refused(found)
      const channel = found.value
      const typed = Object.fromEntries(form)
      const config = configOf(channel.type, typed)
      const answer = await ask('updateChannel', {
        ...idIn(params),
        // a config that is left out is kept by the API
        body: { name: typed['name'] ?? '', ...(config === null ? {} : { config }) },
      })
      if (answer.ok) return { kind: 'elsewhere', path: `${list}/${channel.id}` }
      const { problem } = answer
      const main = channelPage(channel, refusedForm(typed, problem))
      return { kind: 'page', title: channel.name, area: 'channels', status: problem.status, main }
    },
  },
  {
    method: 'POST',
    path: `${list}/:id/test`,
    serve: async ({ ask, params }) => {
      const answer = await ask('testChannel', idIn(params))
      if (!answer.ok) return refused(answer)
      const main = testedPage(answer.value)
      return { kind: 'page', title: 'Test of a channel', area: 'channels', main }
    },
  },
  {
    method: 'GET',
    path: `${list}/:id/delete`,
    serve: async ({ ask, params }) => {
      const [channel, rules] = await Promise.all([ask('getChannel', idIn(params)), ask('listAlertRules', {})])
      if (!channel.ok) return refused(channel)
      if (!rules.ok) return refused(rules)
      const main = deleteChannelPage(channel.value, rules.value.alertRules)
      return { kind: 'page', title: 'Delete this channel?', area: 'channels', main }
    },
  },
  {
    method: 'POST',
    path: `${list}/:id/delete`,
    serve: async ({ ask, params }) => {
      const answer = await ask('deleteChannel', idIn(params))
      return answer.ok ? elsewhere : refused(answer)
    },
  },
]
