import { ChannelTest, type Channel } from '@probe-mesh/contracts/channel/channel'
import { html } from '@probe-mesh/runtime/html'
import { z } from 'zod'
import { emptyForm } from '../../html/components/form.ts'
import { refused, refusedForm, type Outcome } from '../outcome.ts'
import { get, post, type MemberRoute } from '../page-route.ts'
import { channelForm, configOf } from './channel-form.ts'
import { presetOf, presetOfChannel, presets, typeOf, type Preset } from './presets.ts'
import {
  channelAbout,
  channelActions,
  channelPage,
  channelsPage,
  channelState,
  chooseTypePage,
  deleteChannelPage,
} from './channels-page.ts'

const list = '/dashboard/channels'
const elsewhere: Extract<Outcome, { kind: 'elsewhere' }> = { kind: 'elsewhere', path: list }
const idIn = (params: Readonly<Record<string, string>>) => ({ params: { id: params['id'] ?? '' } })
const newTitle = (preset: Preset): string => `New ${presets[preset].name} channel`
/** The API names what is missing of the form. */
const emptyConfigOf = (preset: Preset): object => {
  const { form } = typeOf(preset)
  return form === null ? {} : { form }
}
/** The number of recent deliveries in which the last one of each channel is searched. */
const deliveriesRead = 200

/** The result of a test, between the request and the page that shows it. */
const Tested = ChannelTest.omit({ channel: true }).extend({ id: z.string() })
const answerCharactersMax = 500

const head = (channel: Channel) => ({
  title: channel.name,
  area: 'channels' as const,
  state: channelState(channel),
  about: channelAbout(channel),
  actions: channelActions(channel),
})

/** Channels: listed, created, changed, tested, and deleted after a confirmation. */
export const channelRoutes: readonly MemberRoute[] = [
  get(list, async ({ ask }) => {
    const [channels, deliveries, failing] = await Promise.all([
      ask('listChannels', {}),
      ask('listDeliveries', { query: { limit: deliveriesRead } }),
      ask('listFailingChannels', {}),
    ])
    if (!channels.ok) return refused(channels)
    if (!deliveries.ok) return refused(deliveries)
    if (!failing.ok) return refused(failing)
    const { notificationChannels } = channels.value
    return {
      kind: 'page',
      title: 'Channels',
      area: 'channels',
      about: 'Where alert rules send their messages.',
      actions:
        notificationChannels.length > 0 && html`<a class="button primary" href="${list}/new">New channel</a>`,
      main: channelsPage(notificationChannels, deliveries.value.deliveries, failing.value.channels),
    }
  }),
  get(`${list}/new`, async ({ query }) => {
    const preset = presetOf(query.get('type'), query.get('form'))
    if (preset === null) {
      return { kind: 'page', title: 'New channel', area: 'channels', main: chooseTypePage }
    }
    const main = channelForm(preset, null, emptyForm)
    return { kind: 'page', title: newTitle(preset), area: 'channels', main }
  }),
  post(list, async ({ ask, form }) => {
    const preset = presetOf(form.get('type'), form.get('config.form'))
    if (preset === null) return elsewhere
    const typed = Object.fromEntries(form)
    const body = {
      type: typeOf(preset).type,
      name: typed['name'] ?? '',
      config: configOf(preset, typed) ?? emptyConfigOf(preset),
    }
    const answer = await ask('createChannel', { body: body as never })
    if (answer.ok) return { kind: 'elsewhere', path: `${list}/${answer.value.id}`, done: 'channel-created' }
    const { problem } = answer
    const main = channelForm(preset, null, refusedForm(typed, problem))
    const title = newTitle(preset)
    return { kind: 'page', title, area: 'channels', status: problem.status, main }
  }),
  get(`${list}/:id`, async ({ ask, params, recallNote }) => {
    const [answer, failing] = await Promise.all([
      ask('getChannel', idIn(params)),
      ask('listFailingChannels', {}),
    ])
    if (!answer.ok) return refused(answer)
    if (!failing.ok) return refused(failing)
    const channel = answer.value
    const noted = recallNote(Tested)
    const tested = noted?.id === channel.id ? noted : null
    const main = channelPage(channel, emptyForm, tested, failing.value.channels)
    return { kind: 'page', ...head(channel), main }
  }),
  post(`${list}/:id`, async ({ ask, params, form }) => {
    const found = await ask('getChannel', idIn(params))
    if (!found.ok) return refused(found)
    const channel = found.value
    const typed = Object.fromEntries(form)
    const config = configOf(presetOfChannel(channel), typed)
    const answer = await ask('updateChannel', {
      ...idIn(params),
      // the API keeps an omitted config
      body: { name: typed['name'] ?? '', ...(config === null ? {} : { config }) },
    })
    if (answer.ok) return { kind: 'elsewhere', path: `${list}/${channel.id}`, done: 'channel-saved' }
    const { problem } = answer
    const main = channelPage(channel, refusedForm(typed, problem))
    return { kind: 'page', ...head(channel), status: problem.status, main }
  }),
  post(`${list}/:id/test`, async ({ ask, params }) => {
    const answer = await ask('testChannel', idIn(params))
    if (!answer.ok) return refused(answer)
    const { channel, delivered, httpStatus, detail } = answer.value
    const tested = { id: channel.id, delivered, httpStatus, detail: detail.slice(0, answerCharactersMax) }
    return {
      kind: 'elsewhere',
      path: `${list}/${channel.id}`,
      done: delivered ? 'test-sent' : 'test-refused',
      note: tested,
    }
  }),
  get(`${list}/:id/delete`, async ({ ask, params }) => {
    const [channel, rules] = await Promise.all([ask('getChannel', idIn(params)), ask('listAlertRules', {})])
    if (!channel.ok) return refused(channel)
    if (!rules.ok) return refused(rules)
    const main = deleteChannelPage(channel.value, rules.value.alertRules)
    return { kind: 'page', title: `Delete ${channel.value.name}?`, area: 'channels', main }
  }),
  post(`${list}/:id/delete`, async ({ ask, params }) => {
    const answer = await ask('deleteChannel', idIn(params))
    return answer.ok ? { ...elsewhere, done: 'channel-deleted' } : refused(answer)
  }),
]
