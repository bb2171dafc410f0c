console.log('ready');
require('readline').createInterface({ input: process.stdin }).on('line', line => console.log('echo ' + line));
