require('rig-wiki').commands()
