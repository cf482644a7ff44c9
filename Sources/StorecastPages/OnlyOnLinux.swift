// All of this library that there is on other systems than Linux: Package.swift says why.
