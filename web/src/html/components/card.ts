import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { icon, type IconName } from './icon.ts'

/** A section of a page with its heading. @param id for links and live updates */
export const card = (
  { id, title, about = null, actions = null }: { id: string; title: string; about?: Piece; actions?: Piece },
  body: Piece,
): Html =>
  html`<section class="card" aria-labelledby="${id}">
    <div class="card-head">
      <h2 id="${id}">${title}</h2>
      ${about !== null && html`<p class="muted">${about}</p>`}
      ${actions !== null && html`<div class="card-actions">${actions}</div>`}
    </div>
    ${body}
  </section>`

/** A figure that is readable at a glance. */
export type Stat = {
  label: string
  value: Piece
  /** What the figure is based on, in a few words. */
  note?: Piece
  tone?: 'good' | 'bad' | 'uncertain' | 'silent'
  path?: string
}

export const stats = (entries: readonly Stat[]): Html =>
  html`<dl class="stats">
    ${entries.map(
      ({ label, value, note = null, tone, path }) =>
        html`<div${attribute('class', tone === undefined ? null : `stat-${tone}`)}>
          <dt>${label}</dt>
          <dd>${path === undefined ? value : html`<a href="${path}">${value}</a>`}</dd>
          ${note !== null && html`<dd class="note">${note}</dd>`}
        </div>`,
    )}
  </dl>`

/** Names and values, such as the settings of a check. An entry with the value null is left out. */
export const facts = (entries: readonly (readonly [name: string, value: Piece])[]): Html =>
  html`<dl class="facts">
    ${entries.map(
      ([name, value]) =>
        value !== null &&
        value !== false &&
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`

/** Shown for a list without rows: what belongs here, and the action that adds the first. */
export const emptyState = (state: {
  icon: IconName
  title: string
  text?: Piece
  action?: { path: string; text: string }
}): Html =>
  html`<div class="empty">
    ${icon(state.icon)}
    <p class="empty-title">${state.title}</p>
    ${state.text !== undefined && html`<p>${state.text}</p>`}
    ${state.action !== undefined && html`<p><a class="button primary" href="${state.action.path}">${state.action.text}</a></p>`}
  </div>`
