// ABP's generator takes this class from @angular/cli in one place, and brings a copy of it for the others.
exports.JSONFile = require('@abp/ng.schematics/utils/angular/json-file').JSONFile
