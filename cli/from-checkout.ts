/** `npm run service -- <args>`: npm changes to the root of the checkout, files are meant from where it was called. */
const calledFrom = process.env['INIT_CWD']
if (calledFrom !== undefined) process.chdir(calledFrom)
await import('./src/main.ts')
