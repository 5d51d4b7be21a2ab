import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import type { Channel, ChannelTest, ChannelType } from '@probe-mesh/contracts/channel/channel'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { channelForm, channelNames } from './channel-form.ts'

const verifiedTag = ({ verified }: Channel): Html =>
  verified ? tag({ tone: 'good', text: 'verified' }) : tag({ tone: 'uncertain', text: 'not verified' })

const summaryOf = ({ configSummary }: Channel): Piece =>
  Object.entries(configSummary).map(([key, value]) => html`<bdi>${key}: ${value}</bdi> `)

const testForm = ({ id, name }: Channel): Html =>
  html`<form method="post" action="/dashboard/channels/${id}/test">
    <button type="submit">Send a test<span class="unseen"> to ${name}</span></button>
  </form>`

/** Where messages can go. */
export const channelsPage = (channels: readonly Channel[]): Html => html`
  <p>
    Where <a href="/dashboard/rules">alert rules</a> send their alerts. A channel gets alerts after a
    successful test. Until then it gets tests only, and its alerts wait.
  </p>
  ${
    channels.some(({ verified }) => !verified) &&
    html`<p class="problems" role="status">
      ${channels.filter(({ verified }) => !verified).length} of ${channels.length} channels
      ${channels.filter(({ verified }) => !verified).length === 1 ? 'is' : 'are'} not verified. Send a test to
      each: alerts wait until one succeeds.
    </p>`
  }
  ${
    channels.length === 0
      ? html`<p>There is no channel yet.</p>`
      : table(
          'Channels',
          [
            {
              heading: 'Name',
              cell: ({ id, name }) => html`<a href="/dashboard/channels/${id}">${named(name)}</a>`,
            },
            { heading: 'Type', cell: ({ type }) => channelNames[type] },
            { heading: 'Verified', cell: verifiedTag },
            { heading: 'Where', cell: summaryOf },
            { heading: 'Test', cell: testForm },
            {
              heading: 'Delete',
              cell: ({ id, name }) =>
                html`<a href="/dashboard/channels/${id}/delete"
                  >Delete<span class="unseen"> ${name}</span></a
                >`,
            },
          ],
          channels,
        )
  }
  <h2>Make a channel</h2>
  <ul>
    ${(Object.keys(channelNames) as ChannelType[]).map(
      (type) => html`<li><a href="/dashboard/channels/new?type=${type}">${channelNames[type]}</a></li> `,
    )}
  </ul>
`

/** One channel: what it is, a test, and the form that changes it. */
export const channelPage = (channel: Channel, form: FormState): Html => html`
  <p>${channelNames[channel.type]}, ${verifiedTag(channel)} ${summaryOf(channel)}</p>
  ${
    !channel.verified &&
    html`<p class="problems" role="status">
      This channel gets no alerts yet. Send a test: alerts wait until one succeeds.
    </p>`
  }
  ${testForm(channel)}
  <h2>Change it</h2>
  <p>After a change the channel gets no alerts until a test succeeds.</p>
  ${channelForm(channel.type, channel, form)}
  <p><a href="/dashboard/channels/${channel.id}/delete">Delete this channel</a></p>
`

/** What the receiver answered, as it came. */
export const testedPage = ({ channel, delivered, httpStatus, detail }: ChannelTest): Html => html`
  <p class="${delivered ? 'done' : 'problems'}" role="${delivered ? 'status' : 'alert'}">
    ${delivered ? 'The test was taken by' : 'The test was not taken by'} <bdi>${channel.name}</bdi>.
  </p>
  <p>HTTP status: ${httpStatus ?? 'none, there was no answer'}</p>
  <h2>What was answered</h2>
  <pre class="message">${detail === '' ? 'Nothing.' : detail}</pre>
  ${testForm(channel)}
  <p class="actions">
    <a href="/dashboard/channels/${channel.id}">Change the channel</a>
    <a href="/dashboard/channels">All channels</a>
  </p>
`

/** @param rules all of the account */
export const deleteChannelPage = ({ id, name }: Channel, rules: readonly AlertRule[]): Html => {
  const naming = rules.filter(({ channelIds }) => channelIds?.includes(id) === true)
  return html`
    <p>
      Nothing is sent to <bdi>${name}</bdi> any more, and what waits to be sent there is dropped. Its
      credential is removed and cannot be brought back.
    </p>
    ${
      naming.length === 0
        ? html`<p>No alert rule names it.</p>`
        : html`<p>These alert rules name it, and will not tell it any more:</p>
            <ul>
              ${naming.map(
                (rule) =>
                  html`<li>
                    <a href="/dashboard/rules/${rule.id}">${named(rule.name)}</a>
                    ${rule.channelIds?.length === 1 && (rule.emailUsers ? '(only mail is left)' : '(nobody is left to be told)')}
                  </li> `,
              )}
            </ul>`
    }
    ${rules.some(({ channelIds }) => channelIds === null) && html`<p>Rules that tell every channel tell the others only.</p>`}
    <form method="post" action="/dashboard/channels/${id}/delete">
      <p class="actions">
        <button class="danger" type="submit">Delete the channel</button>
        <a href="/dashboard/channels">Keep it</a>
      </p>
    </form>
  `
}
