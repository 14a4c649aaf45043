import express, { type ErrorRequestHandler } from 'express'
import { expressjwt } from 'express-jwt'
import pg from 'pg'
import { postgraphile } from 'postgraphile'
import { readPublicKey, settings, tokenRules } from '../settings.js'

/** PostGraphile 4, the last one that runs on Node 20, with the options that its documentation recommends for production. */
const pool = new pg.Pool({ connectionString: settings.databaseUrl, max: settings.connections })
const app = express()
app.disable('x-powered-by')
app.use(expressjwt({ secret: await readPublicKey(), ...tokenRules }))
app.use(
  postgraphile(pool, 'public', {
    dynamicJson: true,
    setofFunctionsContainNulls: false,
    ignoreRBAC: false,
    disableQueryLog: true,
    legacyRelations: 'omit',
    graphiql: false,
  }),
)
const refuse: ErrorRequestHandler = (
  error: { status?: number; message: string },
  _request,
  response,
  _next,
) => {
  response.status(error.status ?? 500).json({ errors: [{ message: error.message }] })
}
app.use(refuse)
app.listen(settings.port, () => process.stdout.write('listening\n'))
