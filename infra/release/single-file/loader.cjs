// The first lines of a single executable. Its program is a set of modules inside the file: a module cannot be the main
// script of Node 24, and one text of everything would load every late part at once.
const { registerHooks } = require('node:module')
const { getAsset } = require('node:sea')

// packages ask for files beside a module; below a file there are none
const base = 'file:///proc/self/exe/'
const own = (url) => url.startsWith(base)

registerHooks({
  resolve: (name, context, next) => {
    if (own(name)) return { url: name, format: 'module', shortCircuit: true }
    if (!name.startsWith('./') || !own(context.parentURL ?? '')) return next(name, context)
    return { url: new URL(name, context.parentURL).href, format: 'module', shortCircuit: true }
  },
  load: (url, context, next) => {
    if (!own(url)) return next(url, context)
    return { format: 'module', source: getAsset(url.slice(base.length), 'utf8'), shortCircuit: true }
  },
})

// the main script itself may only load what Node has; a module of an address may load more
const first = `await import('${base}start.mjs')`
import(`data:text/javascript,${encodeURIComponent(first)}`).catch((error) => {
  process.stderr.write(`${error?.stack ?? error}\n`)
  process.exit(1)
})
