import type { Profile } from '@probe-mesh/contracts/account/profile'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card } from '../../html/components/card.ts'
import {
  problemSummary,
  selectField,
  textField,
  type Choice,
  type FormState,
} from '../../html/components/form.ts'
import { utc, zones } from '../../html/local-time.ts'

/** The stored zone, that of the browser and UTC come first. */
const zoneChoices = (...first: string[]): Choice[] =>
  [...new Set([...first, utc, ...zones])].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))

/**
 * The member's name and zone, and the zone of the account's messages.
 * @param browserZone that of the member's browser; UTC if it is unknown
 */
export const profileCards = (profile: Profile, browserZone: string, form: FormState): Html => html`
  ${card(
    { id: 'you', title: 'You' },
    html`${problemSummary(form, ['name', 'timeZone'])}
      <form method="post" action="/dashboard/account/profile">
        <div class="fields">
          ${textField(form, {
            name: 'name',
            label: 'Your name',
            hint: 'Other members see it.',
            autocomplete: 'name',
            fallback: profile.name ?? '',
          })}
          ${selectField(form, {
            name: 'timeZone',
            label: 'Time zone of your mails',
            choices: zoneChoices(profile.timeZone, browserZone),
            fallback: profile.timeZone,
          })}
        </div>
        <p class="actions"><button type="submit">Save</button></p>
      </form>`,
  )}
  ${card(
    { id: 'message-zone', title: 'Messages of the account' },
    html`<form method="post" action="/dashboard/account/settings">
      <div class="fields">
        ${selectField(form, {
          name: 'accountZone',
          label: 'Time zone of channels',
          hint: 'Of times in messages to channels, and in mails to people who are no members.',
          choices: zoneChoices(profile.account.timeZone, browserZone),
          fallback: profile.account.timeZone,
        })}
      </div>
      <p class="actions"><button type="submit">Save time zone</button></p>
    </form>`,
  )}
`
