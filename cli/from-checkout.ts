/**
 * `npm run service -- <args>`: npm changes to the checkout root, but file arguments are relative to
 * the caller's folder.
 */
const calledFrom = process.env['INIT_CWD']
if (calledFrom !== undefined) process.chdir(calledFrom)
await import('./src/main.ts')
