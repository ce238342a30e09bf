// Serves an application: node bench/record/serve.mjs NAME. Prints its address.

import { serve } from './site.mjs';

const { route } = await import(`./apps/${process.argv[2]}.mjs`);
serve(route);
