import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import type { ErrorProjectDetails } from '../contracts/error-project.ts'
import { sourceMapLimits, type SourceMapUpload, type SourceMaps } from '../contracts/source-map.ts'
import { confirmForm } from '@probe-mesh/web/src/html/components/confirm-form'
import { html, type Html } from '@probe-mesh/runtime/html'
import { shareBar } from '@probe-mesh/web/src/charts/count-bars'
import { card } from '@probe-mesh/web/src/html/components/card'
import { named, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'
import { projectPath } from './project-tabs.ts'
import { usageBanner } from '@probe-mesh/web/src/pages/account/error-usage'

/** Bytes as a person reads them, rounded to a tenth. */
export const bytesText = (bytes: number): string => {
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : Math.round(value * 10) / 10} ${units[unit]}`
}

/** The commands after every build. The DSN has the project's number and our address. */
export const uploadLines = (dsn: string): string => {
  const { protocol, host, pathname } = new URL(dsn)
  const [, base = '', project = ''] = /^(.*)\/(\d+)$/.exec(pathname) ?? []
  return [
    `export SENTRY_URL=${protocol}//${host}${base}`,
    'export SENTRY_AUTH_TOKEN=<an API key with read_write>',
    'npx @sentry/cli sourcemaps inject dist',
    `npx @sentry/cli sourcemaps upload --org any --project ${project} dist`,
  ].join('\n')
}

const mapsCell = ({ files, maps }: SourceMapUpload): Html => html`
  <details>
    <summary>${counted(files, 'map')}</summary>
    <ul class="plain-list">
      ${maps.map(({ file, debugId, bytes }) => html`<li>${named(file)}, ${bytesText(bytes)}: <code>${debugId}</code></li> `)}
      ${files > maps.length && html`<li>and ${inFigures(files - maps.length)} more</li>`}
    </ul>
  </details>
`

/** How source maps are uploaded, which are stored, and how much space is left. */
export const sourceMapsPage = (project: ErrorProjectDetails, maps: SourceMaps): Html => html`
  ${usageBanner(project.usage)} ${storageCard(maps)}
  ${maps.uploads.length > 0 && uploadRows(project.id, maps)}
  ${card(
    { id: 'upload', title: 'Upload', about: 'after each build, before it is served' },
    html`<p>
        With source maps, stacks of minified code show your files, lines and functions, and errors of
        different builds stay one issue.
      </p>
      <pre data-copy="the commands"><code>${uploadLines(project.dsn)}</code></pre>
      <p class="muted">
        Create a key at <a href="/dashboard/keys">API and MCP access</a>. Bundler plugins that run
        <code>sentry-cli</code> work with the same settings. Maps apply to events that arrive after them.
      </p>`,
  )}
`

const storageCard = (maps: SourceMaps): Html =>
  card(
    { id: 'stored', title: 'Stored source maps', about: html`as of ${time(maps.asOf)}` },
    html`<div class="usage">
        <p>
          <strong>${bytesText(maps.bytesUsed)}</strong> of ${bytesText(maps.bytesMax)}
          <span class="muted">for all projects of the account</span>
        </p>
        ${shareBar(maps.bytesUsed / maps.bytesMax)}
        <p class="muted small-print">
          Maps that no event used for ${sourceMapLimits.unusedDaysMax} days are deleted.
        </p>
      </div>
      ${
        maps.uploads.length === 0 &&
        html`<p class="muted">No source maps yet. Stacks are shown as SDKs sent them.</p>`
      }`,
  )

const uploadRows = (projectId: string, { uploads, total }: SourceMaps): Html =>
  html`<table class="rows project-rows">
      <caption class="unseen">
        Uploads, newest first
      </caption>
      <thead>
        <tr>
          <th scope="col">Upload</th>
          <th scope="col">Maps</th>
          <th scope="col" class="number">Size</th>
          <th scope="col">Last used</th>
          <th scope="col"><span class="unseen">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${uploads.map((upload) => uploadRow(projectId, upload))}
      </tbody>
    </table>
    ${
      total > uploads.length &&
      html`<p class="muted small-print">The newest ${uploads.length} of ${counted(total, 'upload')}.</p>`
    }`

const uploadRow = (projectId: string, upload: SourceMapUpload): Html => {
  const { id, release, files, bytes, uploadedAt, usedAt } = upload
  return html`<tr>
    <th scope="row">
      ${release === null ? 'No release' : named(release)}
      <span class="target">uploaded ${time(uploadedAt)}</span>
    </th>
    <td>${mapsCell(upload)}</td>
    <td class="number" data-label="Size">${bytesText(bytes)}</td>
    <td data-label="Last used">${usedAt === null ? 'Never' : time(usedAt)}</td>
    <td>
      <a class="danger" href="${projectPath(projectId)}/source-maps/${id}/delete" data-confirm
        >Delete<span class="unseen">
          ${counted(files, 'map')}${release !== null && html` of ${named(release)}`}</span
        ></a
      >
    </td>
  </tr>`
}

/** @param path of the list */
export const deleteSourceMapsPage = (path: string, upload: SourceMapUpload): Html =>
  html`<div data-dialog>
    <p>
      ${counted(upload.files, 'map')} uploaded ${time(upload.uploadedAt)}
      ${upload.release !== null && html`for ${named(upload.release)}`} ${upload.files === 1 ? 'is' : 'are'}
      deleted. New events of that build show minified code and may become issues of their own.
    </p>
    <p class="muted">
      Stored events do not change. ${bytesText(upload.bytes)} become free within 10 minutes.
    </p>
    ${confirmForm({ action: `${path}/${upload.id}/delete`, button: 'Delete source maps', cancel: path })}
  </div>`
