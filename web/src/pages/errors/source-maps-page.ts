import type { ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import { sourceMapLimits } from '@probe-mesh/contracts/error-tracking/source-map'
import type { SourceMapUpload, SourceMaps } from '@probe-mesh/contracts/error-tracking/source-map'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, none, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { number } from './counted.ts'

/** Bytes as a person reads them, rounded to a tenth. Pure. */
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

/** What is run after every build, to be copied: the project's number and our address are in its DSN. */
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

const filesText = (files: number): string => `${number(files)} ${files === 1 ? 'map' : 'maps'}`

const mapsCell = ({ files, maps }: SourceMapUpload): Html => html`
  <details>
    <summary>${filesText(files)}</summary>
    <ul class="plain-list">
      ${maps.map(({ file, debugId, bytes }) => html`<li>${named(file)}, ${bytesText(bytes)}: <code>${debugId}</code></li> `)}
      ${files > maps.length && html`<li>and ${number(files - maps.length)} more</li>`}
    </ul>
  </details>
`

/** How source maps are uploaded, what is kept of them, and how much room is left. */
export const sourceMapsPage = (project: ErrorProjectDetails, maps: SourceMaps): Html => html`
  <p><a href="/dashboard/errors/${project.id}/settings">Settings of this project</a></p>
  <p>
    With the source maps of a build, the stacks of minified code show the files, lines and functions that you
    wrote, and errors of different builds are one issue.
  </p>
  <h2>Upload</h2>
  <p>
    After each build and before what it made is served: the first command puts an id into every built file and
    its map, the second uploads the maps. Plugins of bundlers that run
    <code>sentry-cli</code> do the same with the same settings.
  </p>
  <pre><code>${uploadLines(project.dsn)}</code></pre>
  <p>
    A key is made at <a href="/dashboard/keys">API keys</a>. An event is read by the maps that are here when
    it is stored; older ones stay as they are.
  </p>
  <h2>What is kept</h2>
  <p>
    ${bytesText(maps.bytesUsed)} of the ${bytesText(maps.bytesMax)} that all projects of the account may keep,
    at ${exactTime(maps.asOf)}. Maps that no event needed for ${sourceMapLimits.unusedDaysMax} days are
    deleted.
  </p>
  ${
    maps.uploads.length === 0
      ? html`<p>No source map of this project is kept: its stacks are shown as they came.</p>`
      : html`${
          maps.total > maps.uploads.length &&
          html`<p>The newest ${maps.uploads.length} of ${number(maps.total)} uploads.</p>`
        }
        ${table<SourceMapUpload>(
          'Uploads, newest first',
          [
            { heading: 'Uploaded', cell: ({ uploadedAt }) => time(uploadedAt) },
            {
              heading: 'Release',
              cell: ({ release }) => (release === null ? 'none named' : named(release)),
            },
            { heading: 'Maps', cell: mapsCell },
            { heading: 'Size', cell: ({ bytes }) => bytesText(bytes) },
            {
              heading: 'Last used, to a day',
              cell: ({ usedAt }) => (usedAt === null ? none : time(usedAt)),
            },
            {
              heading: 'Act',
              cell: ({ id, uploadedAt }) =>
                html`<a href="/dashboard/errors/${project.id}/source-maps/${id}/delete"
                  >Delete<span class="unseen"> the upload of ${uploadedAt}</span></a
                >`,
            },
          ],
          maps.uploads,
        )}`
  }
`

/** @param path of the list that it belongs to */
export const deleteSourceMapsPage = (path: string, upload: SourceMapUpload): Html => html`
  <p>
    ${filesText(upload.files)} of the upload of ${time(upload.uploadedAt)} are lost. Errors that come from
    that build are shown with the lines and names of its minified code from then on, and may become issues of
    their own. Errors that were stored stay as they are.
  </p>
  <p>Their ${bytesText(upload.bytes)} are free again about ten minutes later.</p>
  <form method="post" action="${path}/${upload.id}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the source maps</button>
      <a href="${path}">Keep them</a>
    </p>
  </form>
`
