import type { CheckReceivers, NotReached } from '@probe-mesh/contracts/alert/check-receivers'
import { html, type Html } from '@probe-mesh/runtime/html'
import type { Asked } from '../../api/ask.ts'
import { card } from '../../html/components/card.ts'
import { tag } from '../../html/components/tag.ts'
import { named } from '../../html/measures.ts'

type Receiver = CheckReceivers['receivers'][number]

const kindWords: Readonly<Record<Receiver['kind'], string>> = {
  channel: 'channel',
  member: 'member, by e-mail',
  address: 'by e-mail',
}

const notReachedWords: Readonly<Record<NotReached, string>> = {
  untested: 'Not tested: messages wait',
  failing: 'Fails: messages do not arrive',
  unconfirmed: 'Not confirmed',
  no_mail: 'This server sends no mail',
}

const receiversMax = 20

/** Who is notified of an outage of the check, by all alert rules. */
export const notifiedCard = (receivers: Asked<CheckReceivers>): Html =>
  card(
    {
      id: 'notified',
      title: 'Notified of an outage',
      actions: html`<a href="/dashboard/rules">Alert rules</a>`,
    },
    receivers.ok
      ? receiverList(receivers.value.receivers)
      : html`<p class="problems">Receivers could not be read: ${receivers.problem.message}</p>`,
  )

const receiverList = (receivers: readonly Receiver[]): Html => {
  const reached = receivers.filter(({ notReached }) => notReached === null)
  const shown = [...reached, ...receivers.filter(({ notReached }) => notReached !== null)]
  const more = shown.length - receiversMax
  return html`${
    reached.length === 0 &&
    html`<p class="warned">
      No one. Change an <a href="/dashboard/rules">alert rule</a> so that it covers this check and reaches a
      tested channel, a member or a confirmed address.
    </p>`
  }
  ${
    shown.length > 0 &&
    html`<ul class="plain-list lines">
      ${shown.slice(0, receiversMax).map(
        ({ kind, name, notReached }) =>
          html`<li>
            <strong>${named(name)}</strong> <span class="muted">${kindWords[kind]}</span>
            ${notReached !== null && tag({ tone: 'uncertain', text: notReachedWords[notReached] })}
          </li>`,
      )}
    </ul>`
  }
  ${more > 0 && html`<p class="muted">${more} more</p>`}`
}
