import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import type { Channel, ChannelTest, Delivery, FailingChannel } from '@probe-mesh/contracts/channel/channel'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { card, emptyState, facts } from '../../html/components/card.ts'
import type { FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { rowsTable } from '../../html/components/rows.ts'
import { tag } from '../../html/components/tag.ts'
import { named, time } from '../../html/measures.ts'
import { deliveryWords } from '../outbox/delivery-words.ts'
import { channelForm, configLabels } from './channel-form.ts'
import { presetNames, presetOfChannel, presets, typeOf, type Preset } from './presets.ts'

const listPath = '/dashboard/channels'

const stateTag = ({ id, verified }: Channel, failing: readonly FailingChannel[]): Html => {
  const fails = failing.find((each) => each.id === id)
  if (fails !== undefined) {
    const messages = fails.waiting === 1 ? 'message waits' : 'messages wait'
    return html`${tag({ tone: 'bad', text: 'Failing' })}
      <span class="muted">since ${time(fails.since)}, ${fails.waiting} ${messages}</span>`
  }
  return tag(verified ? { tone: 'good', text: 'Verified' } : { tone: 'uncertain', text: 'Not verified' })
}

/** The kind of a channel and what is known of its config, without the form, which is the kind. */
export const channelAbout = (channel: Channel): Html => {
  const preset = presetOfChannel(channel)
  const labels = configLabels(preset)
  return html`${presets[preset].name} ·
  ${Object.entries(channel.configSummary)
    .filter(([key]) => key !== 'form')
    .map(([key, value]) => html`<bdi>${labels[key] ?? key}: ${value}</bdi> `)}`
}

const testForm = ({ id, name }: Channel): Html =>
  html`<form method="post" action="${listPath}/${id}/test">
    <button type="submit">Send a test<span class="unseen"> to ${name}</span></button>
  </form>`

/** The newest of these deliveries for a channel. */
const lastOf = ({ id }: Channel, deliveries: readonly Delivery[]): Piece => {
  const last = deliveries.find((each) => each.kind === 'channel' && each.channelId === id)
  if (last === undefined) return html`<span class="muted">No alert yet</span>`
  return html`${tag(deliveryWords[last.state])} ${time(last.deliveredAt ?? last.createdAt)}`
}

const chooses = (preset: Preset): string => {
  const { type, form } = typeOf(preset)
  return new URLSearchParams({ type, ...(form === null ? {} : { form }) }).toString()
}

/** The purpose of each type, for the choice of a type. */
const typeCards: Html = html`<div class="types">
  <ul>
    ${presetNames.map(
      (preset) =>
        html`<li>
          <a href="${listPath}/new?${chooses(preset)}">${icon('channel')}${presets[preset].name}</a>
        </li> `,
    )}
  </ul>
</div>`

/** Before a type is chosen. */
export const chooseTypePage: Html = html`<p>Choose where alerts go.</p>
  ${typeCards}`

/** All channels. @param deliveries of the account, newest first */
export const channelsPage = (
  channels: readonly Channel[],
  deliveries: readonly Delivery[],
  failing: readonly FailingChannel[],
): Html => {
  if (channels.length === 0)
    return emptyState({
      icon: 'channel',
      title: 'No channels yet',
      text: 'A channel sends alerts to a chat, a pager, a phone or a webhook.',
      action: { path: `${listPath}/new`, text: 'New channel' },
    })
  const unverified = channels.filter(({ verified }) => !verified).length
  return html`
    ${
      unverified > 0 &&
      html`<p class="warned" role="status">
        ${unverified === 1 ? '1 channel is' : `${unverified} channels are`} not verified and
        ${unverified === 1 ? 'gets' : 'get'} no alerts. Send a test to verify.
      </p>`
    }
    ${rowsTable(
      'Channels',
      [
        {
          heading: 'Channel',
          cell: (channel) =>
            html`<a href="${listPath}/${channel.id}">${named(channel.name)}</a>
              <span class="target">${icon('channel')} ${channelAbout(channel)}</span>`,
        },
        { heading: 'State', cell: (channel) => stateTag(channel, failing) },
        { heading: 'Last alert', cell: (channel) => lastOf(channel, deliveries) },
        {
          heading: 'Actions',
          isActions: true,
          cell: (channel) =>
            html`${testForm(channel)}<a
                class="button icon-only"
                href="${listPath}/${channel.id}/delete"
                data-confirm
                aria-label="Delete ${channel.name}"
                >${icon('delete')}</a
              >`,
        },
      ],
      channels,
    )}
  `
}

/** One channel: its settings, a test with its answer, and the edit form. */
export const channelPage = (
  channel: Channel,
  form: FormState,
  tested: Omit<ChannelTest, 'channel'> | null = null,
  failing: readonly FailingChannel[] = [],
): Html => html`
  ${failing
    .filter(({ id }) => id === channel.id)
    .map(
      ({ since, detail }) =>
        html`<div class="problems" role="status">
          <p>
            Messages do not arrive since ${time(since)}. Those that the receiver refused have failed, others
            are tried again for 24 hours. Check the settings and send a test.
          </p>
          ${detail !== '' && html`<pre class="message">${detail}</pre>`}
        </div>`,
    )}
  ${
    !channel.verified &&
    tested === null &&
    html`<p class="warned" role="status">This channel gets no alerts until a test succeeds.</p>`
  }
  ${tested !== null && answerCard(tested)}
  ${card(
    { id: 'settings', title: 'Settings', about: 'A change needs a new test before alerts are sent.' },
    channelForm(presetOfChannel(channel), channel, form),
  )}
`

export const channelState = (channel: Channel): Html => stateTag(channel, [])

export const channelActions = (channel: Channel): Html =>
  html`${testForm(channel)}<a class="button" href="${listPath}/${channel.id}/delete" data-confirm
      >${icon('delete')}Delete</a
    >`

/** The receiver's answer. */
const answerCard = ({ delivered, httpStatus, detail }: Omit<ChannelTest, 'channel'>): Html =>
  card(
    { id: 'answer', title: 'Test' },
    html`${facts([
      [
        'Result',
        tag(delivered ? { tone: 'good', text: 'Delivered' } : { tone: 'bad', text: 'Not delivered' }),
      ],
      ['HTTP status', httpStatus ?? 'No answer'],
    ])}
    ${detail === '' ? html`<p class="muted">The answer was empty.</p>` : html`<pre class="message">${detail}</pre>`}`,
  )

/** @param rules all of the account */
export const deleteChannelPage = ({ id, name }: Channel, rules: readonly AlertRule[]): Html => {
  const naming = rules.filter(({ channelIds }) => channelIds?.includes(id) === true)
  return html`<div data-dialog>
    <p>
      <bdi>${name}</bdi> gets no more messages, and waiting ones are dropped. Its credential is deleted for
      good.
    </p>
    ${
      naming.length > 0 &&
      html`<p>These alert rules lose it:</p>
        <ul>
          ${naming.map(
            (rule) =>
              html`<li>
                <a href="/dashboard/rules/${rule.id}">${named(rule.name)}</a>
                ${rule.channelIds?.length === 1 && (rule.emailUsers ? '(e-mail only from now on)' : '(notifies no one from now on)')}
              </li> `,
          )}
        </ul>`
    }
    ${rules.some(({ channelIds }) => channelIds === null) && html`<p>Rules for all channels use the remaining ones.</p>`}
    ${confirmForm({ action: `${listPath}/${id}/delete`, button: 'Delete channel', cancel: listPath })}
  </div>`
}
