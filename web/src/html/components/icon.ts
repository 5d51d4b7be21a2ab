import { html, type Html } from '@probe-mesh/runtime/html'

/** Our names of the icons in use, with their names in Heroicons (outline, 24 px). */
const iconFiles = {
  account: 'cog-6-tooth',
  agent: 'server',
  alert: 'bell-alert',
  audit: 'clipboard-document-list',
  browser: 'computer-desktop',
  calendar: 'calendar-days',
  channel: 'paper-airplane',
  check: 'signal',
  clone: 'document-duplicate',
  close: 'x-mark',
  copy: 'clipboard',
  delete: 'trash',
  dns: 'at-symbol',
  down: 'chevron-down',
  edit: 'pencil-square',
  error: 'bug-ant',
  external: 'arrow-top-right-on-square',
  feed: 'rss',
  filter: 'funnel',
  grip: 'bars-2',
  grpc: 'cube',
  heartbeat: 'heart',
  help: 'question-mark-circle',
  http: 'globe-alt',
  incident: 'bolt',
  info: 'information-circle',
  key: 'key',
  logout: 'arrow-right-start-on-rectangle',
  mail: 'envelope',
  maintenance: 'wrench-screwdriver',
  member: 'users',
  menu: 'bars-3',
  mesh: 'globe-europe-africa',
  more: 'ellipsis-horizontal',
  multistep: 'queue-list',
  next: 'chevron-right',
  notification: 'inbox-stack',
  objective: 'chart-pie',
  ok: 'check-circle',
  outage: 'x-circle',
  overview: 'squares-2x2',
  pause: 'pause',
  plus: 'plus',
  previous: 'chevron-left',
  run: 'arrow-path',
  resume: 'play',
  rule: 'bell-alert',
  search: 'magnifying-glass',
  secret: 'lock-closed',
  smtp: 'envelope',
  'status-page': 'window',
  subscriber: 'user-group',
  tag: 'tag',
  tcp: 'arrows-right-left',
  up: 'chevron-up',
  warning: 'exclamation-triangle',
} as const
export type IconName = keyof typeof iconFiles

/**
 * Decorative: the text next to it or the label of its button says the same. `documentOf` inserts the sprite's
 * path.
 */
export const icon = (name: IconName): Html => icons[name]

const icons = Object.fromEntries(
  Object.keys(iconFiles).map((name) => [
    name,
    html`<svg class="icon" aria-hidden="true"><use href="/icons#${name}" /></svg>`,
  ]),
) as Record<IconName, Html>

/** All icons in one SVG, as symbols. @param read the SVG of a file of Heroicons */
export const spriteOf = (read: (file: string) => string): Html =>
  html`<svg xmlns="http://www.w3.org/2000/svg">
    ${Object.entries(iconFiles).map(
      ([name, file]) =>
        html`<symbol
          id="${name}"
          viewBox="0 0 24 24"
          fill="none"
          stroke="currentColor"
          stroke-width="1.5"
          stroke-linecap="round"
          stroke-linejoin="round"
        >
          ${[...read(file).matchAll(/ d="([^"]+)"/g)].map(([, path = '']) => html`<path d="${path}" />`)}
        </symbol>`,
    )}
  </svg>`
